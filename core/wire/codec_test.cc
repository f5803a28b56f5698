#include "core/wire/codec.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "core/wire/testing/decode_all.h"
#include "core/wire/testing/random_message.h"
#include "core/wire/testing/sample_messages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::wire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

template <typename Message>
void ExpectSame(const Message& message, absl::string_view what) {
  const std::string bytes = Encode(message);
  const absl::StatusOr<Message> back = Decode<Message>(bytes);
  ASSERT_THAT(back, IsOk()) << what;
  EXPECT_TRUE(*back == message) << what;
  EXPECT_EQ(Encode(*back), bytes) << what << " is not written the same twice";
}

TEST(CodecTest, EveryMessageComesBackAsItWas) {
  ForEachSample([](const char* name, const auto& message) { ExpectSame(message, name); });
}

TEST(CodecTest, RandomMessagesComeBackAsTheyWere) {
  ForEachSample([](const char* name, const auto& sample) {
    using Message = std::decay_t<decltype(sample)>;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      ExpectSame(RandomMessage(seed).Make<Message>(), absl::StrCat(name, " of seed ", seed));
    }
  });
}

TEST(CodecTest, EveryKindIsRefusedByTheOthers) {
  ForEachSample([](const char* name, const auto& message) {
    const std::string bytes = Encode(message);
    EXPECT_EQ(DecodeAll(bytes), 1) << name;
  });
  EXPECT_THAT(Decode<Start>(Encode(Sample<Release>())),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "want MESSAGE_KIND_START, got MESSAGE_KIND_RELEASE"));
}

TEST(CodecTest, AStatusThatIsNotKnownComesBackEmpty) {
  StatusReply reply = Sample<StatusReply>();
  reply.known = false;
  reply.status = JobStatus();
  ExpectSame(reply, "StatusReply");
  StartReply start = Sample<StartReply>();
  start.status = JobStatus();
  ExpectSame(start, "StartReply");
  FindReply find = Sample<FindReply>();
  find.status = JobStatus();
  ExpectSame(find, "FindReply");
}

TEST(CodecTest, AbsentTimesStayAbsent) {
  JobDescription job = Sample<JobDescription>();
  job.deadline = absl::InfiniteDuration();
  ExpectSame(job, "no deadline");
  JobStatus status = Sample<JobStatus>();
  status.changed_at = absl::InfinitePast();
  for (ContainerStatus& container : status.containers) {
    container.last_state.reset();
    container.state.started_at = absl::InfinitePast();
    container.state.finished_at = absl::InfinitePast();
  }
  ExpectSame(status, "no times");
}

TEST(CodecTest, TextThatIsNotUtf8ArrivesReadableAndBytesArriveAsTheyAre) {
  OfferReply reply = Sample<OfferReply>();
  reply.message = "sbatch: \xe9rreur \xff\xfe";
  const auto back = Decode<OfferReply>(Encode(reply));
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ(back->message, "sbatch: \xEF\xBF\xBDrreur \xEF\xBF\xBD\xEF\xBF\xBD");

  Offer offer = Sample<Offer>();
  offer.script.clear();
  for (int i = 0; i < 4096; ++i) offer.script.push_back(static_cast<char>(i));
  offer.size = offer.script.size();
  ExpectSame(offer, "a script of any bytes");
}

TEST(CodecTest, BreachesOfTheRulesAreNamedWithTheirFields) {
  const auto refused = [](const auto& message, absl::string_view want) {
    using Message = std::decay_t<decltype(message)>;
    EXPECT_THAT(Decode<Message>(Encode(message)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  const auto with = [](auto message, auto change) {
    change(message);
    return message;
  };
  const auto offer = Sample<Offer>();
  refused(with(offer, [](Offer& m) { m.from.origin = "a/b"; }), "Offer: from.origin: want 1 to 63");
  refused(with(offer, [](Offer& m) { m.job.key.uid.clear(); }), "job.key.uid: want 1 to 63");
  refused(with(offer, [](Offer& m) { m.round = 0; }), "round: rounds count from 1");
  refused(with(offer, [](Offer& m) { m.digest = "abc"; }), "digest: want 64 lower-case hex");
  refused(with(offer, [](Offer& m) { m.digest[3] = 'F'; }), "digest: want 64 lower-case hex");
  refused(with(offer, [](Offer& m) { ++m.size; }), "script: is not of that size");
  refused(with(Sample<Start>(), [](Start& m) { m.round = 0; }), "round:");
  refused(with(Sample<Release>(), [](Release& m) { m.key.origin = ""; }), "key.origin:");
  refused(with(Sample<OfferReply>(), [](OfferReply& m) { m.by.id = ""; }), "by.id:");
  refused(with(Sample<OfferReply>(), [](OfferReply& m) { m.by.id = "a b"; }), "by.id:");
  refused(with(Sample<LogRequest>(), [](LogRequest& m) { m.offset = -1; }), "offset:");
  refused(with(Sample<LogRequest>(), [](LogRequest& m) { m.attempt = -3; }), "attempt:");
  refused(with(Sample<LogRequest>(), [](LogRequest& m) { m.max_bytes = 0; }), "max_bytes:");
  refused(with(Sample<LogReply>(), [](LogReply& m) { m.next_offset = 0; }), "next_offset:");
  refused(with(Sample<BundleRequest>(), [](BundleRequest& m) { m.offset = -1; }), "offset:");
  refused(with(Sample<BundleReply>(), [](BundleReply& m) { m.total = 7; }), "bytes: go beyond");
  refused(with(Sample<BundleReply>(), [](BundleReply& m) { m.offset = -1; }), "offset:");
  refused(with(Sample<EventBatch>(), [](EventBatch& m) { m.deltas[1].number = 41; }),
          "not consecutive");
  refused(with(Sample<EventBatch>(), [](EventBatch& m) { m.deltas[1].status.key.uid = "/"; }),
          "deltas[1].status.key.uid:");
  refused(with(Sample<SyncReply>(), [](SyncReply& m) { m.jobs.clear(); }), "jobs: are not those");
  refused(with(Sample<SyncReply>(), [](SyncReply& m) { m.jobs[0].key.uid = "x"; }),
          "jobs: are not those");
}

TEST(CodecTest, AllThatIsWrongIsSaidAtOnceButNotForEver) {
  Offer offer = Sample<Offer>();
  offer.round = 0;
  offer.digest = "";
  EXPECT_THAT(
      Decode<Offer>(Encode(offer)),
      StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("round"), HasSubstr("digest"))));
  EventBatch batch = Sample<EventBatch>();
  batch.deltas.assign(10000, StatusDelta());
  const auto result = Decode<EventBatch>(Encode(batch));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_LT(result.status().message().size(), 2000u);
}

TEST(CodecTest, ForeignMessagesAreNoEnvelopes) {
  for (const std::string& bytes :
       {std::string(""), std::string("{\"quotas\": {}, \"labels\": [], \"taints\": []}"),
        std::string("\x80\x04\x95pickle"), std::string(100, '\0'), std::string("\x0dPFR"),
        std::string("\x0dPFRY\xff\xff\xff\xff")}) {
    EXPECT_THAT(Decode<ResourceReport>(bytes),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no podferry envelope")));
  }
}

TEST(CodecTest, TruncatedMessagesNeverDecode) {
  ForEachSample([](const char* name, const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    const std::string bytes = Encode(message);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(Decode<Message>(absl::string_view(bytes).substr(0, size)).ok())
          << name << " cut at " << size;
    }
  });
}

TEST(CodecTest, DamagedMessagesNeverCrash) {
  std::mt19937_64 random(1);
  ForEachSample([&](const char*, const auto& sample) {
    using Message = std::decay_t<decltype(sample)>;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string bytes = Encode(RandomMessage(seed).Make<Message>());
      for (int i = 0; i < 50; ++i) {
        std::string damaged = bytes;
        for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips) {
          damaged[random() % damaged.size()] ^= static_cast<char>(1 << (random() % 8));
        }
        const auto result = Decode<Message>(damaged);
        // What still decodes keeps the rules, so it can be written and read again.
        if (result.ok()) {
          EXPECT_THAT(Decode<Message>(Encode(*result)), IsOk());
        }
      }
    }
  });
}

TEST(CodecTest, RandomBytesNeverDecode) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = random() % 2 == 0 ? "" : "\x0dPFRY";
    for (uint64_t n = random() % 200; n > 0; --n) bytes.push_back(static_cast<char>(random()));
    EXPECT_EQ(DecodeAll(bytes), 0);
  }
}

}  // namespace
}  // namespace podferry::wire
