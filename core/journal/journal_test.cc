#include "core/journal/journal.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/journal/format.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = JournalDamage::Kind;
using Positions = absl::StatusOr<std::vector<JournalPosition>>;

constexpr char kFolder[] = "/state/journal";

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    options_.folder = kFolder;
    options_.disk_full_wait = absl::ZeroDuration();
    options_.disk_full_retry = absl::Milliseconds(1);
  }

  // Opens the journal (again); replayed_ then describes each record: "type head=body".
  void Open() {
    journal_.reset();
    replayed_.clear();
    positions_.clear();
    absl::StatusOr<std::unique_ptr<Journal>> journal =
        Journal::Open(options_, files_, loop_, [this](const JournalRecord& record) {
          replayed_.push_back(Describe(record));
          positions_.push_back(record.position);
        });
    ASSERT_THAT(journal, IsOk());
    journal_ = *std::move(journal);
  }

  static std::string Describe(const JournalRecord& record) {
    const std::string body = record.body.size() > 100 ? absl::StrCat(record.body.size(), " bytes")
                                                      : std::string(record.body);
    return absl::StrCat(record.type, " ", record.head, "=", body);
  }

  Positions Wait(std::optional<Positions>& result) {
    EXPECT_TRUE(loop_.RunUntil([&] { return result.has_value(); }));
    return *std::move(result);
  }
  Positions Append(std::vector<JournalEntry> entries) {
    std::optional<Positions> result;
    journal_->Append(std::move(entries), [&](Positions positions) { result = positions; });
    return Wait(result);
  }
  JournalPosition AppendOne(const std::string& head, std::string body = "") {
    Positions positions = Append({{1, head, std::move(body)}});
    EXPECT_THAT(positions, IsOk());
    return positions->at(0);
  }
  Positions Copy(std::vector<JournalPosition> from) {
    std::optional<Positions> result;
    journal_->Copy(std::move(from), [&](Positions positions) { result = positions; });
    return Wait(result);
  }
  absl::Status DropBefore(uint64_t id) {
    std::optional<absl::Status> result;
    journal_->DropSegmentsBefore(id, [&](absl::Status status) { result = status; });
    EXPECT_TRUE(loop_.RunUntil([&] { return result.has_value(); }));
    return *result;
  }

  std::vector<std::string> FilesLike(const std::string& part) {
    std::vector<std::string> paths;
    const absl::StatusOr<std::vector<std::string>> names = files_.ListDir(kFolder);
    for (const std::string& name : *names) {
      if (absl::StrContains(name, part)) paths.push_back(absl::StrCat(kFolder, "/", name));
    }
    return paths;
  }
  std::string OnlySegment() {
    std::vector<std::string> paths = FilesLike(".log");
    std::erase_if(paths, [](const std::string& path) { return !absl::EndsWith(path, ".log"); });
    EXPECT_THAT(paths, SizeIs(1));
    return paths.at(0);
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  FakeFileSystem files_;
  JournalOptions options_;
  std::unique_ptr<Journal> journal_;
  std::vector<std::string> replayed_;
  std::vector<JournalPosition> positions_;
};

TEST_F(JournalTest, ReplaysWhatWasAppendedInOrder) {
  Open();
  EXPECT_THAT(replayed_, IsEmpty());
  ASSERT_THAT(Append({{1, "a", "first"}, {2, "b", ""}}), IsOk());
  ASSERT_THAT(Append({{3, "", std::string("\0x", 2)}}), IsOk());
  Open();
  EXPECT_THAT(replayed_,
              ElementsAre("1 a=first", "2 b=", absl::StrCat("3 =", std::string("\0x", 2))));
  EXPECT_THAT(journal_->damage(), IsEmpty());
  AppendOne("c");
  Open();
  EXPECT_THAT(replayed_, SizeIs(4));
}

TEST_F(JournalTest, AcknowledgedRecordsSurviveAPowerLoss) {
  Open();
  AppendOne("a", std::string(100 << 10, 'x'));
  AppendOne("b");
  files_.SimulatePowerLoss();
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 a=", "1 b="));
  EXPECT_THAT(journal_->Read(positions_[0]),
              IsOkAndHolds(Field(&JournalEntry::body, std::string(100 << 10, 'x'))));
}

TEST_F(JournalTest, OneSyncMakesAllThatWaitsDurableAndResultsComeInOrder) {
  Open();
  const int64_t syncs = files_.syncs();
  std::vector<int> done;
  for (int i = 0; i < 1000; ++i) {
    journal_->Append({{1, absl::StrCat(i), ""}}, [&, i](Positions) { done.push_back(i); });
  }
  ASSERT_TRUE(loop_.RunUntil([&] { return done.size() == 1000; }));
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_LT(files_.syncs() - syncs, 1000);
  EXPECT_EQ(journal_->stats().records, 1000u);
  EXPECT_LT(journal_->stats().groups, 1000u);
}

TEST_F(JournalTest, AnEmptyAppendComesAfterAllBeforeIt) {
  Open();
  std::vector<std::string> done;
  journal_->Append({{1, "a", ""}}, [&](Positions) { done.push_back("record"); });
  journal_->Append({}, [&](Positions positions) {
    EXPECT_THAT(positions, IsOkAndHolds(IsEmpty()));
    done.push_back("nothing");
  });
  ASSERT_TRUE(loop_.RunUntil([&] { return done.size() == 2; }));
  EXPECT_THAT(done, ElementsAre("record", "nothing"));
}

TEST_F(JournalTest, ReadsRecordsBackByTheirPosition) {
  Open();
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::vector<JournalPosition> positions,
                                Append({{1, "a", "one"}, {2, "b", "two"}}));
  const auto is_two = AllOf(Field(&JournalEntry::type, 2), Field(&JournalEntry::head, "b"),
                            Field(&JournalEntry::body, "two"));
  EXPECT_THAT(journal_->Read(positions[1]), IsOkAndHolds(is_two));
  Open();
  EXPECT_EQ(positions_, positions);
  EXPECT_THAT(journal_->Read(positions[1]), IsOkAndHolds(is_two));
}

TEST_F(JournalTest, ReadNoticesBitRot) {
  Open();
  const JournalPosition position = AppendOne("a", "some body");
  files_.FlipBit(OnlySegment(), position.offset + position.length - 1, 3);
  EXPECT_THAT(journal_->Read(position), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(JournalTest, ClosingWritesWhatIsQueuedAndCallsNobody) {
  Open();
  for (int i = 0; i < 100; ++i) {
    journal_->Append({{1, absl::StrCat(i), ""}}, [](Positions) { FAIL() << "called"; });
  }
  journal_.reset();
  loop_.RunUntilIdle();
  Open();
  EXPECT_THAT(replayed_, SizeIs(100));
}

// --- Torn tails and damage.

TEST_F(JournalTest, CutsATornTailAndReportsIt) {
  Open();
  AppendOne("a", "kept");
  AppendOne("b", "torn");
  journal_.reset();
  const std::string segment = OnlySegment();
  const size_t size = files_.ContentOf(segment).size();
  files_.TruncateFile(segment, size - 1);
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 a=kept"));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  const JournalDamage& damage = journal_->damage()[0];
  EXPECT_EQ(damage.kind, Kind::kTornTail);
  EXPECT_THAT(damage.ToString(), HasSubstr("36 bytes of a torn write cut off"));
  AppendOne("c");
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 a=kept", "1 c="));
  EXPECT_THAT(journal_->damage(), IsEmpty());
}

TEST_F(JournalTest, ABatchIsReplayedWholeOrNotAtAll) {
  Open();
  AppendOne("before");
  ASSERT_THAT(Append({{1, "x", "1"}, {1, "y", "2"}, {1, "z", "3"}}), IsOk());
  journal_.reset();
  const std::string segment = OnlySegment();
  files_.TruncateFile(segment, files_.ContentOf(segment).size() - 34);  // All of z, none of y.
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 before="));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  EXPECT_EQ(journal_->damage()[0].bytes, 68u);
}

TEST_F(JournalTest, DamageInTheMiddleLosesOnlyWhatItHit) {
  Open();
  AppendOne("a", "one");
  const JournalPosition hit = AppendOne("b", "two");
  ASSERT_THAT(Append({{1, "c", "three"}, {1, "d", "four"}}), IsOk());
  journal_.reset();
  const std::string segment = OnlySegment();
  files_.FlipBit(segment, hit.offset + 33, 0);
  const std::string damaged = files_.ContentOf(segment);
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 a=one", "1 c=three", "1 d=four"));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  const JournalDamage& damage = journal_->damage()[0];
  EXPECT_EQ(damage.kind, Kind::kCorrupt);
  EXPECT_EQ(damage.offset, hit.offset);
  EXPECT_EQ(damage.bytes, hit.length);
  EXPECT_EQ(damage.reason, "wrong checksum");
  // The admin gets the segment as it was; we go on with one that is clean.
  EXPECT_EQ(files_.ContentOf(segment + ".damaged"), damaged);
  EXPECT_THAT(journal_->Read(positions_[2]), IsOkAndHolds(Field(&JournalEntry::body, "four")));
  files_.SimulatePowerLoss();
  Open();
  EXPECT_THAT(replayed_, SizeIs(3));
  EXPECT_THAT(journal_->damage(), IsEmpty());
}

TEST_F(JournalTest, FindsTheWayBackBehindAZeroedPage) {
  Open();
  for (int i = 0; i < 20; ++i) AppendOne(absl::StrCat(i), std::string(1000, 'x'));
  journal_.reset();
  files_.ZeroRange(OnlySegment(), 4096, 4096);
  Open();
  EXPECT_EQ(replayed_.size(), 15u);
  EXPECT_THAT(replayed_.back(), HasSubstr("19="));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  EXPECT_EQ(journal_->damage()[0].kind, Kind::kCorrupt);
}

TEST_F(JournalTest, GoesOnBehindABadSector) {
  Open();
  for (int i = 0; i < 20; ++i) AppendOne(absl::StrCat(i), std::string(1000, 'x'));
  journal_.reset();
  files_.FailReads(OnlySegment(), 5000, 10);
  Open();
  EXPECT_EQ(replayed_.size(), 15u);
  EXPECT_THAT(journal_->damage(), SizeIs(1));
}

TEST_F(JournalTest, DamageWithinTheLastWriteIsNotTakenForLostRecords) {
  options_.disk_full_wait = absl::Hours(1);
  Open();
  AppendOne("acknowledged");
  // A full disk holds the writer up until all three wait, so that one write puts them there.
  files_.SetFreeSpace(0);
  int done = 0;
  journal_->Append({{1, "held", ""}}, [&](Positions) { ++done; });
  while (!journal_->disk_full()) std::this_thread::yield();
  for (const char* head : {"a", "b", "c"}) {
    journal_->Append({{1, head, ""}}, [&](Positions) { ++done; });
  }
  files_.SetFreeSpace(-1);
  ASSERT_TRUE(loop_.RunUntil([&] { return done == 4; }));
  ASSERT_EQ(journal_->stats().groups, 3u);
  Open();
  const JournalPosition b = positions_[3];
  journal_.reset();
  files_.ZeroRange(OnlySegment(), b.offset, b.length);  // The part that did not reach the disk.
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 acknowledged=", "1 held=", "1 a=", "1 c="));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  EXPECT_EQ(journal_->damage()[0].kind, Kind::kTornTail);
}

TEST_F(JournalTest, RepairsAWrongSegmentHeader) {
  Open();
  AppendOne("a");
  journal_.reset();
  files_.FlipBit(OnlySegment(), 3, 1);
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 a="));
  EXPECT_THAT(journal_->damage(), SizeIs(1));
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 a="));
  EXPECT_THAT(journal_->damage(), IsEmpty());
}

TEST_F(JournalTest, DamageIsKeptAsideEachTime) {
  for (int i = 0; i < 2; ++i) {
    Open();
    const JournalPosition position = AppendOne("a");
    AppendOne("b");
    journal_.reset();
    files_.FlipBit(OnlySegment(), position.offset, 0);
  }
  Open();
  EXPECT_THAT(FilesLike(".damaged"), SizeIs(2));
}

TEST_F(JournalTest, AFullDiskDoesNotKeepADamagedJournalFromOpening) {
  Open();
  const JournalPosition hit = AppendOne("a");
  AppendOne("b");
  journal_.reset();
  files_.FlipBit(OnlySegment(), hit.offset, 0);
  files_.SetFreeSpace(10);
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 b="));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  EXPECT_THAT(journal_->damage()[0].reason, HasSubstr("not repaired"));
  EXPECT_THAT(journal_->Read(positions_[0]), IsOkAndHolds(Field(&JournalEntry::head, "b")));
  files_.SetFreeSpace(-1);
  AppendOne("c");
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 b=", "1 c="));
}

TEST_F(JournalTest, BytesThatLookLikeARecordAreNotTakenForOne) {
  Open();
  AppendOne("inner", "I was never written to the outer journal");
  const std::string foreign = files_.ContentOf(OnlySegment());
  journal_.reset();
  options_.folder = "/state/outer";
  Open();
  const JournalPosition outer = AppendOne("outer", foreign);
  AppendOne("last");
  journal_.reset();
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, files_.ListDir(options_.folder));
  files_.FlipBit(absl::StrCat(options_.folder, "/", names[0]), outer.offset, 0);
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 last="));
}

TEST_F(JournalTest, RefusesAJournalOfANewerVersion) {
  ASSERT_THAT(files_.MakeDirs(kFolder, 0700), IsOk());
  const auto name = journal_internal::SegmentName::New(1);
  const auto header = journal_internal::EncodeSegmentHeader({.version = 2, .id = 1}, name.salt);
  ASSERT_THAT(files_.WriteFileAtomic(absl::StrCat(kFolder, "/", name.ToString()),
                                     absl::string_view(header.data(), header.size()), 0600),
              IsOk());
  EXPECT_THAT(Journal::Open(options_, files_, loop_, [](const JournalRecord&) {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("newer podferry")));
}

// --- Segments.

TEST_F(JournalTest, RotatesSegmentsAndDropsOldOnes) {
  options_.segment_bytes = 1000;
  Open();
  std::vector<JournalPosition> positions;
  for (int i = 0; i < 10; ++i)
    positions.push_back(AppendOne(absl::StrCat(i), std::string(300, 'x')));
  const std::vector<Journal::Segment> segments = journal_->segments();
  ASSERT_THAT(segments, SizeIs(5));
  ASSERT_THAT(DropBefore(segments[2].id), IsOk());
  EXPECT_THAT(journal_->segments(), SizeIs(3));
  EXPECT_THAT(journal_->Read(positions[0]), StatusIs(absl::StatusCode::kNotFound));
  files_.SimulatePowerLoss();
  Open();
  EXPECT_THAT(replayed_, SizeIs(6));
  EXPECT_THAT(journal_->damage(), IsEmpty());
  ASSERT_THAT(DropBefore(1000), IsOk());  // The newest stays.
  EXPECT_THAT(journal_->segments(), SizeIs(1));
  AppendOne("next");
}

TEST_F(JournalTest, SequenceNumbersGoOnWhenAllRecordsWereDropped) {
  options_.segment_bytes = 100;
  Open();
  AppendOne("a", std::string(80, 'x'));
  AppendOne("b", std::string(80, 'x'));
  ASSERT_THAT(DropBefore(journal_->segments().back().id), IsOk());
  std::vector<uint64_t> sequences;
  journal_.reset();
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      journal_, Journal::Open(options_, files_, loop_, [&](const JournalRecord& record) {
        sequences.push_back(record.sequence);
      }));
  EXPECT_THAT(sequences, ElementsAre(2u));
}

TEST_F(JournalTest, ReportsASegmentThatIsMissing) {
  options_.segment_bytes = 100;
  Open();
  for (int i = 0; i < 3; ++i) AppendOne(absl::StrCat(i), std::string(80, 'x'));
  journal_.reset();
  ASSERT_THAT(files_.Remove(FilesLike(".log")[1]), IsOk());
  Open();
  EXPECT_THAT(replayed_, SizeIs(2));
  ASSERT_THAT(journal_->damage(), SizeIs(1));
  EXPECT_EQ(journal_->damage()[0].kind, Kind::kCorrupt);
  EXPECT_THAT(journal_->damage()[0].reason, HasSubstr("segments 2 to 2"));
}

TEST_F(JournalTest, CopiesRecordsToTheEnd) {
  options_.segment_bytes = 1000;
  Open();
  const std::string large(100 << 10, 'L');
  const JournalPosition a = AppendOne("a", "kept"), b = AppendOne("b", large);
  for (int i = 0; i < 5; ++i) AppendOne("dead", std::string(400, 'x'));
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::vector<JournalPosition> copies, Copy({a, b}));
  ASSERT_THAT(copies, SizeIs(2));
  EXPECT_EQ(copies[1].body_file, b.body_file);
  ASSERT_THAT(DropBefore(copies[0].segment), IsOk());
  EXPECT_THAT(journal_->Read(copies[0]), IsOkAndHolds(Field(&JournalEntry::body, "kept")));
  EXPECT_THAT(journal_->Read(copies[1]), IsOkAndHolds(Field(&JournalEntry::body, large)));
  Open();
  EXPECT_THAT(replayed_, testing::IsSupersetOf({"1 a=kept", "1 b="}));
}

// --- Bodies in files of their own.

TEST_F(JournalTest, LargeBodiesLieBesideTheSegments) {
  Open();
  const std::string large(65 << 10, 'L'), small(64 << 10, 'S');
  const JournalPosition in_file = AppendOne("large", large), in_line = AppendOne("small", small);
  EXPECT_NE(in_file.body_file, 0u);
  EXPECT_EQ(in_line.body_file, 0u);
  EXPECT_THAT(FilesLike("body-"), SizeIs(1));
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 large=", "1 small=65536 bytes"));
  EXPECT_THAT(journal_->Read(positions_[0]), IsOkAndHolds(Field(&JournalEntry::body, large)));
}

TEST_F(JournalTest, ABodyFileGoesWhenNobodyNeedsItAnyMore) {
  options_.segment_bytes = 200;
  Open();
  const std::string large(100 << 10, 'L');
  const JournalPosition first = AppendOne("first", large);
  AppendOne("second", large);
  journal_->RemoveBodyFile(first);
  AppendOne("third", std::string(150, 'x'));
  EXPECT_THAT(FilesLike("body-"), SizeIs(1));
  EXPECT_THAT(journal_->Read(first), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(DropBefore(journal_->segments().back().id), IsOk());
  EXPECT_THAT(FilesLike("body-"), IsEmpty());
}

TEST_F(JournalTest, RemovesBodyFilesThatNoRecordNames) {
  Open();
  AppendOne("large", std::string(100 << 10, 'L'));
  journal_.reset();
  ASSERT_THAT(
      files_.WriteFileAtomic(absl::StrCat(kFolder, "/body-00000000deadbeef.bin"), "x", 0600),
      IsOk());
  Open();
  EXPECT_THAT(FilesLike("body-"), SizeIs(1));
}

TEST_F(JournalTest, KeepsTheBodyOfALostRecordAside) {
  Open();
  const JournalPosition lost = AppendOne("large", std::string(100 << 10, 'L'));
  AppendOne("next");
  journal_.reset();
  files_.FlipBit(OnlySegment(), lost.offset, 0);
  Open();
  const std::vector<std::string> bodies = FilesLike("body-");
  ASSERT_THAT(bodies, SizeIs(1));
  EXPECT_TRUE(absl::EndsWith(bodies[0], ".bin.damaged"));
}

TEST_F(JournalTest, NoticesADamagedBodyFileWhenItIsRead) {
  Open();
  const JournalPosition position = AppendOne("large", std::string(100 << 10, 'L'));
  files_.FlipBit(FilesLike("body-")[0], 5000, 1);
  EXPECT_THAT(journal_->Read(position), StatusIs(absl::StatusCode::kDataLoss));
}

// --- Disks that are full or broken.

TEST_F(JournalTest, AFullDiskFailsTheAppendAndLeavesNothingHalfWritten) {
  Open();
  AppendOne("before");
  const std::string content = files_.ContentOf(OnlySegment());
  files_.SetFreeSpace(50);
  EXPECT_THAT(Append({{1, "full", std::string(1000, 'x')}}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(Append({{1, "full", std::string(100 << 10, 'x')}}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(files_.ContentOf(OnlySegment()), content);
  EXPECT_THAT(FilesLike("body-"), IsEmpty());
  EXPECT_THAT(journal_->status(), IsOk());
  files_.SetFreeSpace(-1);
  AppendOne("after");
  EXPECT_FALSE(journal_->disk_full());
  files_.SimulatePowerLoss();
  Open();
  EXPECT_THAT(replayed_, ElementsAre("1 before=", "1 after="));
  EXPECT_THAT(journal_->damage(), IsEmpty());
}

TEST_F(JournalTest, AnAppendWaitsForSpace) {
  options_.disk_full_wait = absl::Hours(1);
  Open();
  files_.SetFreeSpace(50);
  std::optional<Positions> result;
  journal_->Append({{1, "patient", std::string(1000, 'x')}}, [&](Positions p) { result = p; });
  while (!journal_->disk_full()) std::this_thread::yield();
  EXPECT_FALSE(result.has_value());
  files_.SetFreeSpace(-1);
  EXPECT_THAT(Wait(result), IsOk());
}

TEST_F(JournalTest, NoticesSpaceWithoutBeingAskedToWrite) {
  Open();
  files_.SetFreeSpace(50);
  EXPECT_FALSE(Append({{1, "full", std::string(1000, 'x')}}).ok());
  EXPECT_TRUE(journal_->disk_full());
  files_.SetFreeSpace(-1);
  while (journal_->disk_full()) std::this_thread::yield();
}

TEST_F(JournalTest, ClosingDoesNotWaitForSpace) {
  options_.disk_full_wait = absl::Hours(1);
  options_.disk_full_retry = absl::Hours(1);
  Open();
  files_.SetFreeSpace(0);
  journal_->Append({{1, "x", ""}}, [](Positions) {});
  journal_.reset();
}

TEST_F(JournalTest, AFailedSyncIsFinal) {
  Open();
  AppendOne("before");
  files_.FailSyncs(absl::DataLossError("EIO"));
  EXPECT_THAT(Append({{1, "lost", ""}}), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("EIO")));
  files_.FailSyncs(absl::OkStatus());  // As after fsync() has told its error once.
  EXPECT_THAT(Append({{1, "more", ""}}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(journal_->status(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(DropBefore(100).ok());
}

TEST_F(JournalTest, RefusesWhatTheFormatCannotHold) {
  Open();
  EXPECT_THAT(Append({{1, std::string(5000, 'k'), ""}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Append(std::vector<JournalEntry>(70000)),
              StatusIs(absl::StatusCode::kInvalidArgument));
  AppendOne("fine");
}

TEST_F(JournalTest, OpeningTellsWhatIsWrong) {
  ASSERT_THAT(files_.MakeDirs("/state", 0700), IsOk());
  ASSERT_THAT(files_.WriteFileAtomic("/state/journal", "a file", 0600), IsOk());
  EXPECT_THAT(Journal::Open(options_, files_, loop_, [](const JournalRecord&) {}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace podferry
