#include "tools/load/answer_reader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace podferry::load {
namespace {

using State = AnswerReader::State;

State FeedInPortions(AnswerReader& reader, const std::string& text, size_t portion) {
  State state = State::kMore;
  for (size_t at = 0; at < text.size(); at += portion) {
    state = reader.Feed(absl::string_view(text).substr(at, portion));
    if (state == State::kBad) break;
  }
  return state;
}

TEST(AnswerReaderTest, FindsTheEndWhateverPortionsCome) {
  const struct {
    std::string text;
    int status;
    bool keep_alive;
    const char* beginning;
  } kCases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, true, ""},
      {"HTTP/1.1 503 Service Unavailable\r\nX: y\r\ncontent-length: 4\r\nConnection: close\r\n\r\n"
       "busy",
       503, false, "busy"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, true, ""},
  };
  for (const auto& test : kCases) {
    for (const size_t portion : {1, 2, 3, 7, 1000}) {
      SCOPED_TRACE(absl::StrCat(test.text, " by ", portion));
      AnswerReader reader;
      for (int round = 0; round < 2; ++round) {
        ASSERT_EQ(FeedInPortions(reader, test.text, portion), State::kDone);
        EXPECT_EQ(reader.status(), test.status);
        EXPECT_EQ(reader.keep_alive(), test.keep_alive);
        EXPECT_EQ(reader.beginning(), test.beginning);
        reader.Reset();
      }
    }
  }
}

TEST(AnswerReaderTest, RefusesWhatItCannotMeasure) {
  for (const std::string& text :
       {std::string("nonsense\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"),
        std::string("HTTP/1.1 xyz\r\nContent-Length: 1\r\n\r\n"), std::string(100000, 'x')}) {
    AnswerReader reader;
    EXPECT_EQ(FeedInPortions(reader, text, 1000), State::kBad) << text.substr(0, 100);
  }
}

}  // namespace
}  // namespace podferry::load
