#include "core/json/writer.h"

#include <cstdint>
#include <limits>
#include <string>

#include "core/base/testing/status_matchers.h"
#include "core/json/document.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::json {
namespace {

TEST(WriterTest, PutsCommasAndBracketsRight) {
  std::string out = "prefix ";
  Writer json(&out);
  EXPECT_FALSE(json.complete());
  json.BeginObject();
  json.Field("name", "main");
  json.Field("ready", true);
  json.Field("restarts", 3);
  json.Field("bytes", uint64_t{18446744073709551615u});
  json.Field("load", 0.25);
  json.Field("image", std::string("busybox"));
  json.Key("empty");
  json.BeginArray();
  json.EndArray();
  json.Key("items");
  json.BeginArray();
  json.BeginObject();
  json.EndObject();
  json.Null();
  json.Raw("{\"raw\":1}");
  json.EndArray();
  EXPECT_FALSE(json.complete());
  json.EndObject();
  EXPECT_TRUE(json.complete());
  EXPECT_EQ(
      out,
      "prefix {\"name\":\"main\",\"ready\":true,\"restarts\":3,\"bytes\":18446744073709551615,"
      "\"load\":0.25,\"image\":\"busybox\",\"empty\":[],\"items\":[{},null,{\"raw\":1}]}");
}

TEST(WriterTest, WritesTheExtremesOfNumbers) {
  std::string out;
  Writer json(&out);
  json.BeginArray();
  json.Int(std::numeric_limits<int64_t>::min());
  json.Double(0.1);
  json.Double(1e300);
  json.Double(std::numeric_limits<double>::infinity());
  json.Double(std::numeric_limits<double>::quiet_NaN());
  json.EndArray();
  EXPECT_EQ(out, "[-9223372036854775808,0.1,1e+300,null,null]");
}

TEST(WriterTest, EscapesWhatJsonAsksFor) {
  EXPECT_EQ(Quote(""), "\"\"");
  EXPECT_EQ(Quote("a\"b\\c/\n\r\t\b\x01\x1f\x7f"),
            "\"a\\\"b\\\\c/\\n\\r\\t\\u0008\\u0001\\u001f\x7f\"");
  EXPECT_EQ(Quote(std::string(1, '\0')), "\"\\u0000\"");
}

TEST(WriterTest, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Quote("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
  EXPECT_EQ(Quote("a\xff\xfe"
                  "b"),
            "\"a\xef\xbf\xbd\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(Quote("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(Quote("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(WriterTest, WhatItWritesReadsBackTheSame) {
  for (int first = 0; first < 256; ++first) {
    std::string text = "x";
    text.push_back(static_cast<char>(first));
    text += "y\xc3\xa9";
    PODFERRY_ASSERT_OK_AND_ASSIGN(const Document document, Document::Parse(Quote(text)));
    if (first >= 0x80) text = "x\xef\xbf\xbdy\xc3\xa9";
    EXPECT_EQ(document.Root(nullptr).String(), absl::string_view(text)) << first;
  }
}

}  // namespace
}  // namespace podferry::json
