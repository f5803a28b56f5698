#include "core/translate/testing/test_registry.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

extern char** environ;

namespace podferry {
namespace {

std::string Output(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (size_t size = 0; (size = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    text.append(buffer, size);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

}  // namespace

TestRegistry::TestRegistry() {
  const char* program = getenv("PODFERRY_TEST_REGISTRY");
  if (program == nullptr) {
    ADD_FAILURE() << "PODFERRY_TEST_REGISTRY is not set: use tools/test, or bazel test "
                  << "$(tools/testenv/make --bazel) TARGET";
    return;
  }
  int in[2];
  int out[2];
  EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::string path = program;
  std::string serve = "--serve";
  char* argv[] = {path.data(), serve.data(), nullptr};
  EXPECT_EQ(posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv, environ), 0) << path;
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  stdin_ = in[1];
  FILE* answers = fdopen(out[0], "r");
  char line[1024];
  while (ca_.empty() && fgets(line, sizeof(line), answers) != nullptr) {
    std::istringstream words(line);
    std::string name;
    std::string value;
    words >> name >> value;
    (name == "http" ? http_ : name == "https" ? https_ : ca_) = value;
  }
  fclose(answers);
  EXPECT_FALSE(ca_.empty()) << path << " did not start";
}

TestRegistry::~TestRegistry() {
  close(stdin_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

void TestRegistry::Fail(const std::string& faults) const {
  const std::string file = testing::TempDir() + "/faults";
  std::ofstream(file) << faults;
  Output(absl::StrCat("curl -fsS -X PUT --data-binary @", file, " http://", http_, "/_faults"));
}

int TestRegistry::Count(const std::string& regexp) const {
  const std::regex wanted(regexp);
  int count = 0;
  for (const absl::string_view line :
       absl::StrSplit(Output(absl::StrCat("curl -fsS http://", http_, "/_log")), '\n')) {
    if (std::regex_search(std::string(line), wanted)) ++count;
  }
  return count;
}

}  // namespace podferry
