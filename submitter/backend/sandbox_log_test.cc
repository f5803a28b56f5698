#include "submitter/backend/sandbox_log.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/posix_file_system.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_watcher.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/translate/sandbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/backend/log_marks.h"

namespace podferry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SandboxLogTest : public ::testing::Test {
 protected:
  SandboxLogTest() {
    std::string folder = absl::StrCat(testing::TempDir(), "/log.XXXXXX");
    query_ = {.sandbox = mkdtemp(folder.data()), .index = 1, .container = "main"};
    std::filesystem::create_directories(SandboxPaths::StatusFolder(query_.sandbox));
    std::filesystem::create_directories(Folder());
  }
  ~SandboxLogTest() override { std::filesystem::remove_all(query_.sandbox); }

  std::string Folder() const { return SandboxPaths::LogFolder(query_.sandbox) + "/01.main"; }
  static void Append(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::app) << text;
  }
  void Write(int attempt, const std::string& text) {
    Append(SandboxPaths::Log(query_.sandbox, 1, "main", attempt), text);
  }
  void Mark(int attempt, double time, int64_t size) {
    Append(SandboxPaths::Marks(query_.sandbox, 1, "main", attempt),
           absl::StrFormat("%.2f %d\n", time, size));
  }
  void SetState(const std::string& state) {
    std::ofstream(SandboxPaths::Status(query_.sandbox, 1, "main")) << "state=" << state << "\n";
  }
  LogPiece Read(const LogRange& range = {}, int attempt = -1) {
    query_.attempt = attempt;
    absl::StatusOr<LogPiece> piece = ReadSandboxLog(file_system_, query_, range);
    EXPECT_THAT(piece, IsOk());
    return piece.value_or(LogPiece());
  }
  std::string Tail(int64_t lines) { return Read({.tail_lines = lines}).bytes; }
  std::string Since(double seconds) {
    return Read({.since = absl::UnixEpoch() + absl::Seconds(seconds)}).bytes;
  }

  PosixFileSystem file_system_;
  SandboxLogQuery query_;
};

TEST_F(SandboxLogTest, ReadsPieceByPiece) {
  SetState("running");
  Write(0, "0123456789");
  LogPiece piece = Read({.max_bytes = 4});
  EXPECT_EQ(piece.bytes, "0123");
  EXPECT_EQ(piece.next_offset, 4);
  piece = Read({.offset = 8, .max_bytes = 4});
  EXPECT_EQ(piece.bytes, "89");
  EXPECT_FALSE(piece.end);
  SetState("terminated");
  EXPECT_FALSE(Read({.offset = 4, .max_bytes = 4}).end);
  EXPECT_TRUE(Read({.offset = 8, .max_bytes = 4}).end);
  // Beyond the end there is nothing.
  piece = Read({.offset = 100});
  EXPECT_EQ(piece.bytes, "");
  EXPECT_EQ(piece.next_offset, 10);
}

TEST_F(SandboxLogTest, TellsTheEndOnlyWhenNothingCanFollow) {
  struct Case {
    std::string state;
    bool finished;
    bool end;
  };
  for (const Case& c : std::vector<Case>{{"running", false, false},
                                         {"waiting", false, false},
                                         {"terminated", false, true},
                                         {"running", true, true}}) {
    SetState(c.state);
    std::filesystem::remove(SandboxPaths::Finished(query_.sandbox));
    if (c.finished) Append(SandboxPaths::Finished(query_.sandbox), "exit=0\n");
    Write(0, "x");
    EXPECT_EQ(Read().end, c.end) << c.state;
  }
  // An attempt that is not the newest has ended, whatever the state says of the newest.
  std::filesystem::remove(SandboxPaths::Finished(query_.sandbox));
  SetState("running");
  Write(1, "again");
  EXPECT_TRUE(Read({}, 0).end);
  EXPECT_FALSE(Read({}, 1).end);
}

TEST_F(SandboxLogTest, WhatIsNotThereYetIsNotAnError) {
  EXPECT_FALSE(Read().exists);
  EXPECT_FALSE(Read().end);
  SetState("terminated");
  EXPECT_TRUE(Read().end) << "it never ran";
  EXPECT_FALSE(Read({}, 1).end) << "the next attempt may come";
  Append(SandboxPaths::Finished(query_.sandbox), "exit=0\n");
  EXPECT_TRUE(Read({}, 1).end);
}

TEST_F(SandboxLogTest, KnowsTheAttemptBeforeTheNewest) {
  SetState("running");
  for (int attempt : {0, 1, 9, 10}) Write(attempt, absl::StrCat("attempt ", attempt));
  EXPECT_EQ(Read().attempt, 10);
  EXPECT_EQ(Read({}, -2).bytes, "attempt 9");
  EXPECT_EQ(Read({}, 1).bytes, "attempt 1");
  // While it waits to be started again, the newest log is that of the one before.
  SetState("waiting");
  EXPECT_EQ(Read({}, -2).bytes, "attempt 10");
}

TEST_F(SandboxLogTest, SaysThatThereWasNoAttemptBefore) {
  SetState("running");
  Write(0, "x");
  query_.attempt = -2;
  EXPECT_THAT(ReadSandboxLog(file_system_, query_, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("previous terminated container")));
}

TEST_F(SandboxLogTest, TailsByLines) {
  Write(0, "one\ntwo\nthree\n");
  EXPECT_EQ(Tail(0), "");
  EXPECT_EQ(Tail(1), "three\n");
  EXPECT_EQ(Tail(2), "two\nthree\n");
  EXPECT_EQ(Tail(3), "one\ntwo\nthree\n");
  EXPECT_EQ(Tail(100), "one\ntwo\nthree\n");
  Write(0, "half");
  EXPECT_EQ(Tail(1), "half");
  EXPECT_EQ(Tail(2), "three\nhalf");
}

TEST_F(SandboxLogTest, TailsThroughManyChunks) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    absl::StrAppend(&text, "line ", i, " ", std::string(20, 'x'), "\n");
  Write(0, text);
  const LogPiece piece = Read({.tail_lines = 10000});
  EXPECT_THAT(piece.bytes.substr(0, 11), "line 10000 ");
  EXPECT_EQ(piece.bytes.size(), 128u * 1024);
}

TEST_F(SandboxLogTest, FindsWhatWasWrittenSince) {
  Write(0, "one\ntwo\nthree\nfour\n");
  Mark(0, 100.0, 0);
  Mark(0, 100.2, 4);
  Mark(0, 100.4, 10);  // in the middle of "three"
  Mark(0, 100.6, 14);
  EXPECT_EQ(Since(99), "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(Since(100.2), "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(Since(100.3), "two\nthree\nfour\n");
  EXPECT_EQ(Since(100.5), "three\nfour\n") << "whole lines, rather one more than one less";
  EXPECT_EQ(Since(100.65), "four\n") << "what no mark tells of yet was written after the last one";
}

TEST_F(SandboxLogTest, GivesTheMarksThatCoverAPiece) {
  Write(0, std::string(100, 'x'));
  for (int i = 0; i <= 10; ++i) Mark(0, 100 + i, 10 * i);
  const LogPiece piece = Read({.offset = 35, .max_bytes = 20});
  std::vector<int64_t> sizes;
  for (const LogMark& mark : piece.marks) sizes.push_back(mark.size);
  EXPECT_THAT(sizes, ElementsAre(30, 40, 50, 60));
  EXPECT_EQ(piece.marks[0].time, absl::UnixEpoch() + absl::Seconds(103));
}

TEST(LogMarksTest, AreFoundInALongFile) {
  const std::string path = absl::StrCat(testing::TempDir(), "/marks");
  std::ofstream file(path);
  for (int64_t i = 0; i < 50000; ++i) file << absl::StrFormat("%d.25 %d\n", 1000 + i, i * 7);
  file << "52000.25 4";  // cut off by a crash
  file.close();
  PosixFileSystem file_system;
  for (const int64_t begin : {0, 1, 6, 7, 8, 1234, 349'992, 349'993, 349'994}) {
    const std::vector<LogMark> marks = MarksOf(file_system, path, begin, begin + 10);
    ASSERT_THAT(marks, Not(IsEmpty()));
    EXPECT_LE(marks.front().size, begin);
    EXPECT_GT(marks.front().size, begin - 7);
    EXPECT_LE(marks.size(), 4u);
  }
  for (const int64_t second : {0, 1000, 1001, 33333, 50999}) {
    const int64_t before = std::max<int64_t>(0, second - 1000 - 1);
    EXPECT_EQ(OffsetAt(file_system, path, absl::FromUnixSeconds(second)), before * 7) << second;
  }
  EXPECT_EQ(OffsetAt(file_system, path, absl::FromUnixSeconds(1'000'000)), 49999 * 7);
  EXPECT_THAT(MarksOf(file_system, path + ".none", 0, 10), IsEmpty());
}

TEST(SandboxLogSourceTest, TellsOfChangesAndOutlivesNoReader) {
  FakeClock clock;
  FakeEventLoop loop(clock);
  InlineWorkerPool pool(loop);
  FakeFileWatcher watcher(loop);
  PosixFileSystem file_system;
  std::unique_ptr<LogSource> log =
      NewSandboxLog({.sandbox = "/nowhere", .container = "main"}, file_system, pool, watcher);
  int changes = 0;
  Subscription subscription = log->OnChange([&] { ++changes; });
  EXPECT_TRUE(watcher.IsWatched("/nowhere/logs/00.main"));
  EXPECT_TRUE(watcher.IsWatched("/nowhere/status"));
  watcher.Change("/nowhere/logs/00.main", {"0.log"});
  watcher.Change("/nowhere/status", {"00.main"});
  loop.RunUntilIdle();
  EXPECT_EQ(changes, 2);
  // The reader drops its source inside the answer.
  log->Read({}, [&](absl::StatusOr<LogPiece> piece) {
    EXPECT_FALSE(piece->exists);
    log.reset();
  });
  loop.RunUntilIdle();
  EXPECT_EQ(log, nullptr);
  subscription.Cancel();
  EXPECT_FALSE(watcher.IsWatched("/nowhere/status"));
}

}  // namespace
}  // namespace podferry
