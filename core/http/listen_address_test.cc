#include "core/http/listen_address.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

TEST(ListenAddressTest, ReadsAndWritesWhatUsersGive) {
  const struct {
    const char* text;
    const char* canonical;
    bool loopback;
  } kCases[] = {
      {"127.0.0.1:4000", "127.0.0.1:4000", true},
      {"127.9.8.7:1", "127.9.8.7:1", true},
      {"0.0.0.0:4000", "0.0.0.0:4000", false},
      {"10.1.2.3:65535", "10.1.2.3:65535", false},
      {"localhost:0", "127.0.0.1:0", true},
      {"*:80", "[::]:80", false},
      {"[::1]:0", "[::1]:0", true},
      {"[::]:0", "[::]:0", false},
      {"[::ffff:127.0.0.1]:5", "[::ffff:127.0.0.1]:5", true},
      {"[fe80::1]:5", "[fe80::1]:5", false},
      {"unix:/run/a.sock", "unix:/run/a.sock", true},
      {"unix:///run/a.sock", "unix:/run/a.sock", true},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.text);
    PODFERRY_ASSERT_OK_AND_ASSIGN(const ListenAddress address, ParseListenAddress(test.text));
    EXPECT_EQ(address.ToString(), test.canonical);
    EXPECT_EQ(address.IsLoopback(), test.loopback);
    EXPECT_THAT(ParseListenAddress(address.ToString()), IsOkAndHolds(address));
  }
}

TEST(ListenAddressTest, RefusesTheRestInPlainWords) {
  const struct {
    std::string text;
    const char* why;
  } kCases[] = {
      {"", "no port"},
      {"4000", "no port"},
      {"127.0.0.1", "no port"},
      {":4000", "no IP address"},
      {"127.0.0.1:", "no port"},
      {"127.0.0.1:65536", "no port"},
      {"127.0.0.1:-1", "no port"},
      {"127.0.0.1:+1", "no port"},
      {"127.0.0.1:99999999999999999999", "no port"},
      {"example.org:80", "no IP address"},
      {"127.0.0.1.5:80", "no IP address"},
      {"::1:80", "brackets"},
      {"[127.0.0.1]:80", "no IPv6 address"},
      {"[::1:80", "brackets"},
      {"unix:", "not absolute"},
      {"unix:run/a.sock", "not absolute"},
      {"unix:/run/", "folder"},
      {absl::StrCat("unix:/", std::string(107, 'a')), "108 bytes"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.text);
    EXPECT_THAT(ParseListenAddress(test.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.why)));
  }
  EXPECT_THAT(ParseListenAddress(absl::StrCat("unix:/", std::string(106, 'a'))), IsOk());
}

}  // namespace
}  // namespace podferry
