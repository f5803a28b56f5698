#include "core/wire/field_check.h"

#include <string>

#include "gtest/gtest.h"

namespace podferry::wire {
namespace {

TEST(FieldCheckTest, NamesTheWholePath) {
  FieldCheck check;
  {
    const FieldCheck::Scope deltas(check, "deltas", 3);
    const FieldCheck::Scope status(check, "status");
    check.That(true, "fine", "never said");
    check.Add("message", "is wrong");
  }
  check.Add("round", "is 0");
  EXPECT_EQ(check.issues().ToString(), "deltas[3].status.message: is wrong; round: is 0");
}

TEST(FieldCheckTest, ChecksIdsAndDigests) {
  struct Case {
    std::string value;
    bool part, id, digest;
  };
  const Case cases[] = {
      {"", false, false, false},
      {"a-1", true, true, false},
      {"a.b_c", false, true, false},
      {"a/b", false, false, false},
      {"a b", false, false, false},
      {std::string(63, 'a'), true, true, false},
      {std::string(64, 'a'), false, false, true},
      {std::string(64, 'A'), false, false, false},
      {std::string(64, 'g'), false, false, false},
  };
  for (const Case& c : cases) {
    FieldCheck part, id, digest;
    part.KeyPart(c.value, "x");
    id.SubmitterId(c.value, "x");
    digest.Digest(c.value, "x");
    EXPECT_EQ(part.issues().empty(), c.part) << c.value;
    EXPECT_EQ(id.issues().empty(), c.id) << c.value;
    EXPECT_EQ(digest.issues().empty(), c.digest) << c.value;
  }
}

TEST(FieldCheckTest, StopsCollectingAfterSome) {
  FieldCheck check;
  for (int i = 0; i < 1000; ++i) check.Add("x", "wrong");
  EXPECT_EQ(check.issues().size(), 16u);
}

}  // namespace
}  // namespace podferry::wire
