#include "core/http/http_endpoint.h"

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::http_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HttpEndpointTest, ReadsUrls) {
  const struct {
    const char* url;
    const char* canonical;
    const char* host_header;
  } kCases[] = {
      {"http://127.0.0.1:4000", "http://127.0.0.1:4000", "127.0.0.1:4000"},
      {"http://plugin.example/", "http://plugin.example", "plugin.example"},
      {"http://plugin:80", "http://plugin", "plugin"},
      {"https://plugin:80", "https://plugin:80", "plugin:80"},
      {"https://plugin:443", "https://plugin", "plugin"},
      {"http://[::1]:5", "http://[::1]:5", "[::1]:5"},
      {"https://[fe80::1]", "https://[fe80::1]", "[fe80::1]"},
      {"unix:/run/a.sock", "unix:/run/a.sock", "localhost"},
      {"unix:///run/a.sock", "unix:/run/a.sock", "localhost"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.url);
    PODFERRY_ASSERT_OK_AND_ASSIGN(const HttpEndpoint endpoint, ParseHttpEndpoint(test.url));
    EXPECT_EQ(endpoint.ToString(), test.canonical);
    EXPECT_EQ(endpoint.HostHeader(), test.host_header);
  }
}

TEST(HttpEndpointTest, RefusesTheRestWithoutQuotingIt) {
  const struct {
    const char* url;
    const char* why;
  } kCases[] = {
      {"", "scheme"},
      {"127.0.0.1:4000", "scheme"},
      {"ftp://host", "scheme"},
      {"http://", "no host"},
      {"http://:80", "no host"},
      {"http://host:0", "port"},
      {"http://host:65536", "port"},
      {"http://host:", "port"},
      {"http://host/path", "path"},
      {"http://host?query", "path"},
      {"http://user:secret@host", "user"},
      {"http://[::1", "IPv6"},
      {"http://[::1]x", "malformed"},
      {"http://[x]:1", "IPv6"},
      {"http://ho st", "character"},
      {"http://host\r\nX: y", "character"},
      {"unix:relative", "absolute"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.url);
    EXPECT_THAT(ParseHttpEndpoint(test.url),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(test.why)));
  }
  EXPECT_THAT(ParseHttpEndpoint("http://user:secret@host").status().message(),
              Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace podferry::http_internal
