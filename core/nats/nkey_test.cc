#include "core/nats/nkey.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

// The user of NATS' own documentation of NKey authentication.
constexpr char kSeed[] = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr char kPublic[] = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

TEST(NkeyTest, DerivesThePublicKeyOfASeed) {
  EXPECT_THAT(PublicNkeyOfSeed(kSeed), IsOkAndHolds(std::string(kPublic)));
  EXPECT_THAT(PublicNkeyOfSeed(absl::StrCat("-----BEGIN USER NKEY SEED-----\n  ", kSeed,
                                            "\r\n------END USER NKEY SEED------\n")),
              IsOkAndHolds(std::string(kPublic)));
}

TEST(NkeyTest, RefusesWhatIsNoUsersSeedWithoutRepeatingIt) {
  std::string flipped = kSeed;
  flipped[20] = flipped[20] == 'A' ? 'B' : 'A';
  for (const std::string& text : {std::string(), std::string(kPublic), flipped,
                                  std::string(kSeed).substr(0, 40), std::string("SU0189")}) {
    EXPECT_THAT(PublicNkeyOfSeed(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                                 "no NKey seed of a user (SU...) in it"));
  }
}

}  // namespace
}  // namespace podferry
