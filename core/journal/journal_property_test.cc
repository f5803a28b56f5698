// Journals written at random and then damaged at random, as by a bad disk or a power loss. Whatever
// happens to the bytes: opening succeeds, nothing is replayed that was not written, batches are
// whole, and nothing before the first damage is lost.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/journal/journal.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

constexpr char kFolder[] = "/journal";

class JournalPropertyTest : public testing::TestWithParam<int> {
 protected:
  using Batch = std::vector<JournalEntry>;
  using Positions = std::vector<JournalPosition>;

  struct Replayed {
    std::vector<std::pair<std::string, std::string>> records;
    std::vector<JournalPosition> positions;
  };

  uint32_t Random(uint32_t below) { return random_() % below; }

  std::unique_ptr<Journal> Open(Replayed* replayed) {
    JournalOptions options;
    options.folder = kFolder;
    options.segment_bytes = 20000;
    options.max_inline_bytes = 3000;
    absl::StatusOr<std::unique_ptr<Journal>> journal =
        Journal::Open(options, files_, loop_, [&](const JournalRecord& record) {
          if (replayed == nullptr) return;
          replayed->records.emplace_back(std::string(record.head), std::string(record.body));
          replayed->positions.push_back(record.position);
        });
    EXPECT_THAT(journal, IsOk());
    return journal.ok() ? *std::move(journal) : nullptr;
  }

  // The head names the batch, its size, and the record's index: "12/3/0".
  Batch MakeBatch(int number) {
    Batch batch(1 + Random(4) * Random(2));
    for (size_t i = 0; i < batch.size(); ++i) {
      batch[i].head = absl::StrCat(number, "/", batch.size(), "/", i);
      batch[i].body.resize(Random(8) == 0 ? Random(6000) : Random(400));
      for (char& byte : batch[i].body) byte = static_cast<char>(random_());
      // Bytes that look like parts of a journal.
      if (Random(4) == 0) batch[i].body += files_.ContentOf(SomeSegment()).substr(0, 500);
    }
    return batch;
  }

  // Writes batches; some at a time, so that groups of many come about.
  void WriteJournal(int batches) {
    std::unique_ptr<Journal> journal = Open(nullptr);
    int done = 0;
    for (int number = 0; number < batches; ++number) {
      Batch batch = MakeBatch(number);
      for (const JournalEntry& entry : batch) written_[entry.head] = entry.body;
      journal->Append(std::move(batch), [&](absl::StatusOr<Positions> positions) {
        ASSERT_THAT(positions, IsOk());
        ++done;
      });
      if (Random(5) != 0) continue;
      ASSERT_TRUE(loop_.RunUntil([&] { return done == number + 1; }));
    }
    ASSERT_TRUE(loop_.RunUntil([&] { return done == batches; }));
  }

  std::vector<std::string> Segments() {
    std::vector<std::string> paths;
    const auto names = files_.ListDir(kFolder);
    if (!names.ok()) return paths;
    for (const std::string& name : *names) {
      if (absl::EndsWith(name, ".log")) paths.push_back(absl::StrCat(kFolder, "/", name));
    }
    return paths;
  }
  std::string SomeSegment() {
    const std::vector<std::string> segments = Segments();
    return segments.empty() ? "" : segments[Random(segments.size())];
  }

  void DoDamage() {
    const std::string path = SomeSegment();
    const uint64_t size = files_.ContentOf(path).size();
    if (size == 0) return;
    const uint64_t offset = Random(size);
    switch (Random(4)) {
      case 0:
        return files_.TruncateFile(path, offset);
      case 1:
        return files_.ZeroRange(path, offset / 512 * 512, 512 * (1 + Random(8)));
      case 2: {
        const uint64_t length = 1 + Random(100);
        const uint64_t end = (offset + length + 4095) / 4096 * 4096;
        bad_sectors_[path].emplace_back(offset / 4096 * 4096, end);
        return files_.FailReads(path, offset, length);
      }
      default:
        for (uint32_t i = 0; i <= Random(20); ++i) files_.FlipBit(path, Random(size), Random(8));
    }
  }

  // Whether the bytes from `begin` to `end` of a segment are as they were, and can be read.
  bool IsIntact(const std::string& path, const std::string& original, uint64_t begin,
                uint64_t end) {
    for (const auto& [bad_begin, bad_end] : bad_sectors_[path]) {
      if (begin < bad_end && end > bad_begin) return false;
    }
    const std::string now = files_.ContentOf(path);
    return end <= now.size() && now.compare(begin, end - begin, original, begin, end - begin) == 0;
  }

  // The heads of the records whose batches no damage has touched.
  std::vector<std::string> Untouched(const Replayed& before,
                                     const std::map<std::string, std::string>& originals) {
    std::vector<std::string> untouched;
    for (size_t i = 0; i < before.records.size();) {
      const std::vector<std::string> head = absl::StrSplit(before.records[i].first, '/');
      const size_t count = std::stoul(head[1]);
      const JournalPosition& first = before.positions[i];
      const JournalPosition& last = before.positions[i + count - 1];
      const std::string file = absl::StrFormat("%s/journal-%016x-", kFolder, first.segment);
      const auto& [path, original] = *originals.lower_bound(file);
      if (IsIntact(path, original, first.offset, last.offset + last.length)) {
        for (size_t k = i; k < i + count; ++k) untouched.push_back(before.records[k].first);
      }
      i += count;
    }
    return untouched;
  }

  static std::vector<std::string> HeadsOf(const Replayed& replayed) {
    std::vector<std::string> heads;
    for (const auto& [head, body] : replayed.records) heads.push_back(head);
    return heads;
  }

  // All that must hold of what is replayed, whatever happened.
  void Check(const Replayed& replayed, const Journal& journal) {
    int last_batch = -1;
    for (size_t i = 0; i < replayed.records.size();) {
      const std::vector<std::string> head = absl::StrSplit(replayed.records[i].first, '/');
      ASSERT_EQ(head.size(), 3u);
      const int batch = std::stoi(head[0]), size = std::stoi(head[1]);
      EXPECT_GT(batch, last_batch) << "out of order, or twice";
      last_batch = batch;
      for (int index = 0; index < size; ++index, ++i) {
        ASSERT_LT(i, replayed.records.size()) << "half a batch";
        ASSERT_EQ(replayed.records[i].first, absl::StrCat(batch, "/", size, "/", index));
        auto it = written_.find(replayed.records[i].first);
        ASSERT_NE(it, written_.end()) << "never written";
        const absl::StatusOr<JournalEntry> read = journal.Read(replayed.positions[i]);
        ASSERT_THAT(read, IsOk());
        EXPECT_TRUE(read->body == it->second);
        EXPECT_TRUE(replayed.positions[i].body_file != 0 ||
                    replayed.records[i].second == it->second);
      }
    }
  }

  std::mt19937 random_{static_cast<uint32_t>(GetParam())};
  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  FakeFileSystem files_;
  std::map<std::string, std::string> written_;  // Body by head.
  std::map<std::string, std::vector<std::pair<uint64_t, uint64_t>>> bad_sectors_;
};

TEST_P(JournalPropertyTest, DamageInventsNothingAndCostsOnlyWhatItHit) {
  WriteJournal(60);
  Replayed before;
  ASSERT_NE(Open(&before), nullptr);
  ASSERT_EQ(before.records.size(), written_.size());
  std::map<std::string, std::string> originals;
  for (const std::string& path : Segments()) originals[path] = files_.ContentOf(path);
  for (uint32_t i = 0; i <= Random(3); ++i) DoDamage();
  const std::vector<std::string> untouched = Untouched(before, originals);

  Replayed after;
  std::unique_ptr<Journal> journal = Open(&after);
  ASSERT_NE(journal, nullptr);
  Check(after, *journal);
  EXPECT_THAT(HeadsOf(after), testing::IsSupersetOf(untouched));
  if (after.records.size() < before.records.size()) {
    EXPECT_FALSE(journal->damage().empty()) << "a loss that is not reported";
  }

  // What was repaired once is whole, and takes new records.
  journal.reset();
  Replayed again;
  journal = Open(&again);
  ASSERT_NE(journal, nullptr);
  EXPECT_TRUE(journal->damage().empty()) << journal->damage()[0].ToString();
  EXPECT_EQ(HeadsOf(again), HeadsOf(after));
}

TEST_P(JournalPropertyTest, AcknowledgedRecordsSurviveAPowerLossAtAnyMoment) {
  std::vector<std::string> acknowledged;
  {
    std::unique_ptr<Journal> journal = Open(nullptr);
    ASSERT_NE(journal, nullptr);
    const size_t enough = 10 + Random(40);
    for (int number = 0; number < 100; ++number) {
      Batch batch = MakeBatch(number);
      for (const JournalEntry& entry : batch) written_[entry.head] = entry.body;
      const std::string head = batch[0].head;
      journal->Append(std::move(batch), [&, head](auto positions) {
        if (positions.ok()) acknowledged.push_back(head);
      });
    }
    // The rest is somewhere on its way; its acknowledgement comes too late to be believed.
    ASSERT_TRUE(loop_.RunUntil([&] { return acknowledged.size() >= enough; }));
    files_.CutPower([this](uint64_t bytes) { return Random(bytes + 1); });
  }
  files_.Reboot();
  Replayed replayed;
  std::unique_ptr<Journal> journal = Open(&replayed);
  ASSERT_NE(journal, nullptr);
  Check(replayed, *journal);
  for (const std::string& head : acknowledged) {
    EXPECT_TRUE(std::any_of(replayed.records.begin(), replayed.records.end(),
                            [&](const auto& record) { return record.first == head; }))
        << head;
  }
  for (const JournalDamage& damage : journal->damage()) {
    EXPECT_EQ(damage.kind, JournalDamage::Kind::kTornTail) << damage.ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JournalPropertyTest, testing::Range(1, 51));

}  // namespace
}  // namespace podferry
