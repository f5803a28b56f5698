// Compiles and links every third-party library once: if this passes, tools/setup installed all that
// a build needs.

#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <glog/logging.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <nats/nats.h>
#include <openssl/ssl.h>
#include <sodium.h>
#include <yaml-cpp/yaml.h>
#include <zlib.h>
#include <zstd.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <rapidjson/document.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http.hpp>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "third_party/smoke.pb.h"

namespace {

using ::testing::HasSubstr;

TEST(ThirdParty, Abseil) {
  absl::flat_hash_map<std::string, absl::AnyInvocable<absl::StatusOr<int>(int)>> functions;
  functions["half"] = [](int x) -> absl::StatusOr<int> {
    if (x % 2 != 0) return absl::InvalidArgumentError(absl::StrCat(x, " is odd"));
    return x / 2;
  };
  EXPECT_EQ(*functions["half"](4), 2);
  EXPECT_EQ(functions["half"](3).status().message(), "3 is odd");
  EXPECT_EQ(absl::StrFormat("%03d", 7), "007");
  EXPECT_EQ(absl::FormatTime(absl::RFC3339_sec, absl::UnixEpoch(), absl::UTCTimeZone()),
            "1970-01-01T00:00:00+00:00");
  absl::BitGen random;
  EXPECT_LT(absl::Uniform(random, 0, 10), 10);
}

TEST(ThirdParty, Asio) {
  boost::asio::io_context loop;
  int ran = 0;
  boost::asio::co_spawn(
      loop,
      [&]() -> boost::asio::awaitable<void> {
        ++ran;
        co_return;
      },
      boost::asio::detached);
  loop.run();
  EXPECT_EQ(ran, 1);
}

TEST(ThirdParty, Beast) {
  boost::beast::http::request_parser<boost::beast::http::string_body> parser;
  boost::beast::error_code error;
  parser.put(boost::asio::buffer(std::string("GET /healthz HTTP/1.1\r\n\r\n")), error);
  EXPECT_FALSE(error.failed()) << error.message();
  EXPECT_EQ(parser.get().target(), "/healthz");
}

TEST(ThirdParty, Benchmark) { EXPECT_EQ(benchmark::CPUInfo::Get().num_cpus > 0, true); }

TEST(ThirdParty, Cli11) {
  CLI::App app;
  int pods = 0;
  app.add_option("--pods", pods);
  app.parse("--pods 100");
  EXPECT_EQ(pods, 100);
}

TEST(ThirdParty, Curl) {
  CURLM* multi = curl_multi_init();
  EXPECT_NE(multi, nullptr);
  curl_multi_cleanup(multi);
}

TEST(ThirdParty, Glog) { VLOG(1) << "linked"; }

TEST(ThirdParty, Hiredis) {
  redisReader* reader = redisReaderCreate();
  redisReaderFeed(reader, "+OK\r\n", 5);
  void* reply = nullptr;
  EXPECT_EQ(redisReaderGetReply(reader, &reply), REDIS_OK);
  freeReplyObject(reply);
  redisReaderFree(reader);
}

TEST(ThirdParty, Nats) {
  natsOptions* options = nullptr;
  ASSERT_EQ(natsOptions_Create(&options), NATS_OK);
  natsOptions_Destroy(options);
  EXPECT_THAT(nats_GetVersion(), HasSubstr("3."));
}

TEST(ThirdParty, OpenSsl) {
  SSL_CTX* context = SSL_CTX_new(TLS_method());
  EXPECT_NE(context, nullptr);
  SSL_CTX_free(context);
  boost::asio::ssl::context asio_context(boost::asio::ssl::context::tls_server);
  EXPECT_NE(asio_context.native_handle(), nullptr);
}

TEST(ThirdParty, Pcre2) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>("a+"), PCRE2_ZERO_TERMINATED, 0,
                                   &error, &offset, nullptr);
  EXPECT_NE(code, nullptr);
  pcre2_code_free(code);
}

TEST(ThirdParty, PrometheusCpp) {
  prometheus::Registry registry;
  prometheus::BuildCounter().Name("pods_total").Help("h").Register(registry).Add({}).Increment();
  EXPECT_THAT(prometheus::TextSerializer().Serialize(registry.Collect()),
              HasSubstr("pods_total 1"));
}

TEST(ThirdParty, Protobuf) {
  podferry::third_party::Smoke message;
  message.set_text("pod");
  podferry::third_party::Smoke copy;
  ASSERT_TRUE(copy.ParseFromString(message.SerializeAsString()));
  EXPECT_EQ(copy.text(), "pod");
}

TEST(ThirdParty, RapidJson) {
  rapidjson::Document document;
  document.Parse("{\"pods\": 3}");
  EXPECT_EQ(document["pods"].GetInt(), 3);
}

TEST(ThirdParty, Sodium) { EXPECT_GE(sodium_init(), 0); }

TEST(ThirdParty, TomlPlusPlus) { EXPECT_EQ(toml::parse("pods = 3")["pods"].value_or(0), 3); }

TEST(ThirdParty, YamlCpp) { EXPECT_EQ(YAML::Load("pods: 3")["pods"].as<int>(), 3); }

TEST(ThirdParty, Zlib) { EXPECT_NE(crc32(0, reinterpret_cast<const Bytef*>("pod"), 3), 0u); }

TEST(ThirdParty, Zstd) { EXPECT_GT(ZSTD_compressBound(1024), 1024u); }

}  // namespace
