#include "core/translate/script_payload.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/job/job_request.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(ScriptPayloadTest, CountsFromTheEndOfTheScript) {
  const std::string text(100, 't');
  const std::string binary("\0\1\2\r\n", 5);
  ScriptPayload payload;
  EXPECT_TRUE(payload.empty());
  EXPECT_EQ(payload.Add(text), 0);
  EXPECT_EQ(payload.Add(binary), 1);
  EXPECT_EQ(payload.Add(text), 0);

  std::string script = "anything before";
  payload.AppendTo(&script);
  const auto entries = payload.Entries();
  ASSERT_EQ(entries.size(), 2);
  const auto cut = [&](const ScriptPayload::Entry& entry) {
    return script.substr(script.size() - entry.from_end, entry.size);
  };
  EXPECT_FALSE(entries[0].is_base64);
  EXPECT_EQ(cut(entries[0]), text);
  EXPECT_TRUE(entries[1].is_base64);
  std::string decoded;
  ASSERT_TRUE(absl::Base64Unescape(cut(entries[1]), &decoded));
  EXPECT_EQ(decoded, binary);
  EXPECT_EQ(entries[1].sha256, Sha256Hex(binary));
}

TEST(ScriptPayloadTest, KnowsWhatMayStandInAScript) {
  for (const absl::string_view text : {"", "plain\n\ttext", "caf\xc3\xa9 \xf0\x9f\x9a\x80"}) {
    EXPECT_TRUE(IsScriptText(text)) << absl::CHexEscape(text);
  }
  for (const absl::string_view bytes :
       {absl::string_view("\0", 1), absl::string_view("dos\r\n"), absl::string_view("\x1b"),
        absl::string_view("\x7f"), absl::string_view("\xff"), absl::string_view("cut \xc3"),
        absl::string_view("\xc3(")}) {
    EXPECT_FALSE(IsScriptText(bytes)) << absl::CHexEscape(bytes);
  }
}

}  // namespace
}  // namespace podferry
