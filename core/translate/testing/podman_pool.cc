#include "core/translate/testing/podman_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/translate/translate.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

std::string Variable(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr ? value : otherwise;
}

std::string Output(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (size_t size = fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, size);
  pclose(pipe);
  absl::StripTrailingAsciiWhitespace(&output);
  return output;
}

// Root in a container may lack what Podman's defaults take: see tools/testenv/README.md.
std::string WriteConf() {
  std::string path = absl::StrCat(testing::TempDir(), "/containers.conf");
  std::ofstream file(path);
  file << "[engine]\nruntime = \"runc\"\n[containers]\n"
          "default_ulimits = [\"nofile=1000:1000\", \"nproc=1000:1000\"]\n";
  return path;
}

}  // namespace

PodmanPool::PodmanPool()
    : program_(Variable("PODFERRY_TEST_PODMAN", "podman")), conf_(WriteConf()) {
  config_.runtime.kind = RuntimeKind::kPodman;
  config_.podman.executable = program_;
  static const bool has_images = [this] {
    const std::string folder = Variable("PODFERRY_TEST_IMAGES", "");
    EXPECT_FALSE(folder.empty()) << "bazel test $(tools/testenv/make --bazel) makes the images";
    for (const char* image : {"busybox", "entrypoint", "command", "user"}) {
      const std::string words =
          Podman(absl::StrCat("pull --quiet docker-archive:", folder, "/", image,
                              ".docker.tar >/dev/null && echo pulled"));
      EXPECT_TRUE(absl::EndsWith(words, "pulled")) << words;
      if (!absl::EndsWith(words, "pulled")) return false;
    }
    return true;
  }();
  EXPECT_TRUE(has_images);
}

std::unique_ptr<ScriptRun> PodmanPool::Script(PodBuilder& pod) {
  static int number = 0;
  for (auto* list : {&pod.spec().init_containers, &pod.spec().containers}) {
    for (Container& container : *list) {
      if (!absl::StrContains(container.image, '/')) container.image = kBusybox;
      if (container.image_pull_policy.empty()) container.image_pull_policy = "IfNotPresent";
    }
  }
  const JobKey key = {absl::StrCat("test-", getpid()), absl::StrCat("pod-", ++number)};
  key_ = key.ToString();
  const Translation translation = Translate(pod.Build(), key, "pool-a", config_);
  EXPECT_TRUE(translation.issues.empty()) << translation.issues.ToString();
  auto run = std::make_unique<ScriptRun>(translation.bundle.script);
  run->variables()["CONTAINERS_CONF"] = conf_;
  return run;
}

std::string PodmanPool::Podman(const std::string& arguments) const {
  return Output(absl::StrCat("CONTAINERS_CONF=", conf_, " ", program_, " ", arguments, " 2>&1"));
}

std::string PodmanPool::Containers() const {
  return Podman(
      absl::StrCat("ps --all --format '{{.Names}} {{.Status}}' --filter name=", "podferry.",
                   key_.substr(0, key_.find('/')), ".", key_.substr(key_.find('/') + 1), "."));
}

int PodmanPool::CountMonitors() const {
  std::string name = absl::StrCat("podferry.", key_, ".");
  name[name.find('/')] = '.';
  return CountProcesses(name);
}

}  // namespace podferry
