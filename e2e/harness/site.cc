#include "e2e/harness/site.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/json/document.h"
#include "e2e/harness/wait.h"
#include "glog/logging.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

ContainerAnswer ReadContainer(const json::Value& value) {
  ContainerAnswer answer;
  answer.name = std::string(value.Get("name").StringOr(""));
  for (const char* state : {"waiting", "running", "terminated"}) {
    json::Value at = value.Get("state").Get(state);
    if (!at.present()) continue;
    answer.state = state;
    answer.reason = std::string(at.Get("reason").StringOr(""));
    answer.message = std::string(at.Get("message").StringOr(""));
    if (at.Get("exitCode").present()) answer.exit_code = at.Get("exitCode").Int32Or(-1);
  }
  return answer;
}

bool PortAnswers(int port) {
  int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool answers = connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(socket);
  return answers;
}

void PrintLog(const std::string& path) {
  std::cerr << "---- " << path << "\n" << ReadFile(path) << "\n";
}

}  // namespace

int FreePort() {
  // Below the kernel's ephemeral ports: a client that dials a port of those while no server listens
  // there may be given it as its own, and the server then cannot come back.
  std::random_device random;
  std::uniform_int_distribution<int> ports(15000, 32000);
  for (;;) {
    int port = ports(random);
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool is_free = bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(socket);
    if (is_free) return port;
  }
}

std::string ReadFile(const std::string& path) {
  // Not a stream: those throw when a file of /proc goes while it is read.
  std::string content;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return content;
  char part[65536];
  for (ssize_t size; (size = read(fd, part, sizeof part)) > 0;) content.append(part, size);
  close(fd);
  return content;
}

std::string Program(const std::string& path) { return std::filesystem::absolute(path).string(); }

bool PodAnswer::AllTerminated() const {
  if (!known || containers.empty()) return false;
  for (const ContainerAnswer& container : containers) {
    if (container.state != "terminated") return false;
  }
  return true;
}

std::string PodAnswer::Phase() const {
  const auto any = [](const std::vector<ContainerAnswer>& list, const char* state) {
    return std::any_of(list.begin(), list.end(),
                       [state](const ContainerAnswer& c) { return c.state == state; });
  };
  if (!known || any(init_containers, "running") || any(init_containers, "waiting"))
    return "Pending";
  if (any(containers, "running")) return "Running";
  if (!AllTerminated()) return "";
  for (const auto* list : {&init_containers, &containers}) {
    for (const ContainerAnswer& container : *list) {
      if (container.exit_code != 0) return "Failed";
    }
  }
  return "Succeeded";
}

const ContainerAnswer* PodAnswer::Find(const std::string& container) const {
  for (const auto* list : {&init_containers, &containers}) {
    for (const ContainerAnswer& answer : *list) {
      if (answer.name == container) return &answer;
    }
  }
  return nullptr;
}

std::string PodAnswer::ToString() const {
  std::string out = known ? "" : "unknown ";
  for (const auto* list : {&init_containers, &containers}) {
    for (const ContainerAnswer& container : *list) {
      absl::StrAppend(&out, container.name, ":", container.state, "(", container.reason, " ",
                      container.exit_code.value_or(-1), " ", container.message, ") ");
    }
  }
  return out;
}

Site::Site(const Runtime& runtime)
    : runtime_(runtime), user_(TestUser()), nats_port_(FreePort()), plugin_port_(FreePort()) {
  std::string pattern = absl::StrCat("/tmp/podferry-e2e-XXXXXX");
  PCHECK(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
  GiveTo(folder_);
  BringImages(runtime_);
}

void Site::GiveTo(const std::string& path) const {
  if (user_.has_value()) PCHECK(chown(path.c_str(), user_->uid, user_->gid) == 0) << path;
}

Site::~Site() {
  // The submitter first: what it still runs is deleted with its sandboxes' scripts.
  submitter_.reset();
  plugin_.reset();
  nats_.reset();
  std::filesystem::path sandboxes = folder_ + "/submitter/sandboxes";
  std::error_code ignored;
  for (const auto& sandbox : std::filesystem::directory_iterator(sandboxes, ignored)) {
    std::ifstream in(sandbox.path() / "script.pid");
    std::string boot;
    pid_t pid = 0;
    if (in >> boot >> pid && pid > 1) kill(pid, SIGKILL);
  }
  if (testing::Test::HasFailure()) {
    for (const char* log : {"nats.log", "plugin.log", "submitter.log"}) PrintLog(Path(log));
  }
  std::filesystem::remove_all(folder_, ignored);
}

void Site::StartNats() {
  nats_ =
      Process::Start({.argv = {"nats-server", "-a", "127.0.0.1", "-p", std::to_string(nats_port_)},
                      .log = Path("nats.log")});
  CHECK(WaitFor([&] { return PortAnswers(nats_port_); })) << "nats-server does not listen";
}

void Site::StartPlugin(const std::string& failpoint, const std::vector<std::string>& flags) {
  Process::Options options = {
      .argv = {Program("plugin/plugin"), "--nats", nats_url(), "--listen",
               absl::StrCat("127.0.0.1:", plugin_port_), "--state", Path("plugin")},
      .log = Path("plugin.log")};
  options.argv.insert(options.argv.end(), flags.begin(), flags.end());
  if (!failpoint.empty()) options.env["PODFERRY_FAILPOINT"] = failpoint;
  plugin_ = Process::Start(std::move(options));
  CHECK(WaitFor([&] { return PortAnswers(plugin_port_) || !plugin_->Running(); }));
}

// Not every variable of a submitter reaches its jobs: those that the runtime's program needs are
// set by a program in its place.
void Site::WriteBuildConfig(const std::string& path) const {
  std::string program = runtime_.program;
  if (!runtime_.env.empty()) {
    std::ofstream wrapper(Path("runtime"));
    wrapper << "#!/bin/sh\n";
    for (const auto& [name, value] : runtime_.env)
      wrapper << "export " << name << "=" << value << "\n";
    wrapper << "exec " << program << " \"$@\"\n";
    program = Path("runtime");
    PCHECK(chmod(program.c_str(), 0755) == 0);
  }
  std::ofstream(path) << absl::StrReplaceAll(runtime_.build_config,
                                             {{"%SITE%", folder_}, {"%PROGRAM%", program}});
}

void Site::StartSubmitter(const std::string& failpoint, const std::vector<std::string>& flags) {
  std::string config = Path("build.toml");
  WriteBuildConfig(config);
  std::string program = Program("submitter/submitter");
  if (user_.has_value()) {
    // Ordinary users do not get at Bazel's folders, nor have they always a home.
    std::filesystem::copy_file(program, Path("submitter-program"),
                               std::filesystem::copy_options::skip_existing);
    program = Path("submitter-program");
    std::filesystem::create_directory(Path("home"));
    GiveTo(Path("home"));
  }
  Process::Options options = {
      .argv = {program, "host", "--nats", nats_url(), "--pool", "pool-a", "--cpu", "4", "--memory",
               "8Gi", "--pods", "100", "--build-config", config, "--state", Path("submitter")},
      .log = Path("submitter.log"),
      .user = user_};
  if (user_.has_value()) options.env["HOME"] = Path("home");
  options.argv.insert(options.argv.end(), flags.begin(), flags.end());
  if (!failpoint.empty()) options.env["PODFERRY_FAILPOINT"] = failpoint;
  submitter_ = Process::Start(std::move(options));
}

void Site::StartAll() {
  StartNats();
  StartPlugin();
  StartSubmitter();
  CHECK(WaitForPool()) << "the plugin has not heard of the pool";
}

bool Site::WaitForPool() {
  return WaitFor([&] { return absl::StrContains(http().Get("/v1/pools").body, "\"pool-a\""); });
}

int Site::Create(const PodRequest& pod) {
  int code = 0;
  std::string body = pod.CreateBody();
  WaitFor([&] { return (code = http().Post("/create", body).code) != 0 || !plugin_->Running(); });
  return code;
}

PodAnswer Site::Status(const PodRequest& pod) const {
  PodAnswer answer;
  HttpAnswer http_answer = http().Get("/status", pod.StatusBody());
  auto document = json::Document::Parse(http_answer.body);
  if (!document.ok()) return answer;
  for (json::Value entry : document->Root(nullptr).Items()) {
    if (entry.Get("UID").StringOr("") != pod.uid) continue;
    answer.known = true;
    for (json::Value c : entry.Get("initContainers").Items()) {
      answer.init_containers.push_back(ReadContainer(c));
    }
    for (json::Value c : entry.Get("containers").Items()) {
      answer.containers.push_back(ReadContainer(c));
    }
  }
  return answer;
}

std::string Site::Log(const PodRequest& pod, const std::string& container) const {
  HttpAnswer answer = http().Get("/getLogs", pod.LogBody(container));
  return answer.code == 200 ? answer.body : absl::StrCat("HTTP ", answer.code, " ", answer.error);
}

int Site::Delete(const PodRequest& pod) { return http().Post("/delete", pod.PodJson()).code; }

bool Site::WaitForEnd(const PodRequest& pod, PodAnswer* answer, absl::Duration deadline) {
  return WaitFor([&] { return (*answer = Status(pod)).AllTerminated(); }, deadline);
}

std::string Site::Leftovers(std::string below) const {
  if (below.empty()) below = folder_;
  std::string out;
  std::error_code ignored;
  const Process* own[] = {nats_.get(), plugin_.get(), submitter_.get()};
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string pid = process.path().filename();
    if (std::any_of(std::begin(own), std::end(own), [&pid](const Process* daemon) {
          return daemon != nullptr && std::to_string(daemon->pid()) == pid;
        })) {
      continue;
    }
    const std::string command = ReadFile(process.path() / "cmdline");
    if (absl::StrContains(command, below) ||
        absl::StrContains(ReadFile(process.path() / "environ"), below)) {
      absl::StrAppend(&out, "process ", pid, ": ", absl::StrReplaceAll(command, {{{"\0", 1}, " "}}),
                      "\n");
    }
  }
  for (const absl::string_view mount : absl::StrSplit(ReadFile("/proc/self/mountinfo"), '\n')) {
    if (absl::StrContains(mount, below)) absl::StrAppend(&out, "mount ", mount, "\n");
  }
  return out;
}

}  // namespace podferry::e2e
