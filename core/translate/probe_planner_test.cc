#include "core/translate/probe_planner.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/translate/kubelet_values.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const FieldPath kPath("spec.containers[0]");

struct Planned {
  PlannedCare care;
  PlannedMessage message;
  std::string issues;
};

Planned Plan(const Container& container, Role role = Role::kMain) {
  const VariableLookup env = [](absl::string_view name) -> std::optional<std::string> {
    if (name == "FILE") return "/tmp/ok";
    return std::nullopt;
  };
  FieldReport report(RuntimeKind::kHost);
  Planned planned;
  planned.care = PlanCare(container, role, env, kPath, &report);
  planned.message = PlanMessage(container, kPath, &report);
  planned.issues = report.issues().ToString();
  return planned;
}

Container Probed(Handler handler) {
  Container container;
  container.name = "main";
  container.ports = {{.name = "web", .container_port = 8080}};
  container.liveness_probe.emplace();
  container.liveness_probe->handler = std::move(handler);
  return container;
}

HttpGetAction Http(PortRef port = {80, ""}) {
  HttpGetAction http;
  http.port = std::move(port);
  return http;
}

TEST(ProbePlannerTest, PlansEveryKindOfProbeWithItsNumbers) {
  Container container = Probed(ExecAction{{"cat", "$(FILE)", "$$(FILE)", "$(OTHER)"}});
  Probe& liveness = *container.liveness_probe;
  liveness.initial_delay_seconds = 2;
  liveness.period_seconds = 3;
  liveness.timeout_seconds = 4;
  liveness.failure_threshold = 5;
  liveness.termination_grace_period_seconds = 6;
  container.startup_probe.emplace().handler = TcpSocketAction{"", {0, "web"}};
  container.readiness_probe.emplace().handler = GrpcAction{9000, "db"};
  container.readiness_probe->success_threshold = 2;
  const Planned planned = Plan(container);
  EXPECT_THAT(planned.issues, IsEmpty());
  ASSERT_EQ(planned.care.probes.size(), 3u);
  const PlannedProbe& startup = planned.care.probes[0];
  EXPECT_EQ(startup.kind, PlannedProbe::Kind::kStartup);
  EXPECT_EQ(startup.action.kind, PlannedAction::Kind::kTcp);
  EXPECT_EQ(startup.action.host, "127.0.0.1");
  EXPECT_EQ(startup.action.port, 8080);
  EXPECT_EQ(startup.period, absl::Seconds(10));
  EXPECT_EQ(startup.timeout, absl::Seconds(1));
  EXPECT_EQ(startup.failure_threshold, 3);
  EXPECT_FALSE(startup.grace.has_value());
  const PlannedProbe& live = planned.care.probes[1];
  EXPECT_EQ(live.kind, PlannedProbe::Kind::kLiveness);
  EXPECT_THAT(live.action.argv, ElementsAre("cat", "/tmp/ok", "$(FILE)", "$(OTHER)"));
  EXPECT_EQ(live.delay, absl::Seconds(2));
  EXPECT_EQ(live.period, absl::Seconds(3));
  EXPECT_EQ(live.timeout, absl::Seconds(4));
  EXPECT_EQ(live.failure_threshold, 5);
  EXPECT_EQ(live.grace, absl::Seconds(6));
  const PlannedProbe& ready = planned.care.probes[2];
  EXPECT_EQ(ready.kind, PlannedProbe::Kind::kReadiness);
  EXPECT_EQ(ready.action.service, "db");
  EXPECT_EQ(ready.success_threshold, 2);
}

TEST(ProbePlannerTest, ZeroMeansKubernetesDefault) {
  Container container = Probed(Http());
  Probe& probe = *container.liveness_probe;
  probe.period_seconds = probe.timeout_seconds = 0;
  probe.success_threshold = probe.failure_threshold = 0;
  const PlannedProbe planned = Plan(container).care.probes.at(0);
  EXPECT_EQ(planned.period, absl::Seconds(10));
  EXPECT_EQ(planned.timeout, absl::Seconds(1));
  EXPECT_EQ(planned.success_threshold, 1);
  EXPECT_EQ(planned.failure_threshold, 3);
}

TEST(ProbePlannerTest, AsksTheAddressThatTheKubeletWouldAsk) {
  const struct {
    const char* scheme;
    const char* host;
    const char* path;
    const char* url;
  } cases[] = {
      {"HTTP", "127.0.0.1", "/healthz", "http://127.0.0.1:80/healthz"},
      {"HTTPS", "127.0.0.1", "", "https://127.0.0.1:80/"},
      {"HTTP", "a.example", "healthz", "http://a.example:80/healthz"},
      {"HTTP", "::1", "/", "http://[::1]:80/"},
      {"HTTP", "h", "/a?b=c&d=%20e", "http://h:80/a?b=c&d=%20e"},
      {"HTTP", "h", "/a b\"\\{x}[1]", "http://h:80/a%20b%22%5C%7Bx%7D[1]"},
      {"HTTP", "h", "/\xc3\xa4", "http://h:80/%C3%A4"},
      {"HTTP", "h", "/a#fragment", "http://h:80/a"},
      {"HTTP", "h", "/100%?x", "http://h:80/100%25%3Fx"},
      {"HTTP", "h", "/../x", "http://h:80/../x"},
  };
  for (const auto& c : cases) EXPECT_EQ(ProbeUrl(c.scheme, c.host, 80, c.path), c.url);
}

TEST(ProbePlannerTest, SendsTheHeadersThatThePodNamesAndTheKubeletsOwn) {
  HttpGetAction http = Http({0, "web"});
  http.headers = {{"X-A", "1"}, {"host", "a"}, {"X-A", "2"}, {"Host", "b"}};
  PlannedAction action = Plan(Probed(http)).care.probes.at(0).action;
  EXPECT_EQ(action.url, "http://127.0.0.1:8080/");
  EXPECT_THAT(action.headers, ElementsAre(Pair("X-A", "1"), Pair("host", "a"), Pair("X-A", "2"),
                                          Pair("User-Agent", "kube-probe/1.35")));
  http.headers = {{"user-agent", ""}};
  action = Plan(Probed(http)).care.probes.at(0).action;
  EXPECT_THAT(action.headers, ElementsAre(Pair("user-agent", "")));
}

TEST(ProbePlannerTest, RefusesByPathWhatCannotBeDone) {
  const auto probe = [](Handler handler) { return Probed(std::move(handler)); };
  const auto with = [](void (*change)(Container&)) {
    Container container = Probed(ExecAction{{"true"}});
    change(container);
    return container;
  };
  HttpGetAction bad_header = Http();
  bad_header.headers = {{"X Y", "1"}, {"X", "a\nb"}};
  HttpGetAction bad_host = Http();
  bad_host.host = "a/b";
  const std::pair<Container, const char*> cases[] = {
      {probe(Http({0, "nope"})),
       "livenessProbe.httpGet.port: the container has no port named nope"},
      {probe(bad_header), "livenessProbe.httpGet.httpHeaders[0].name: is no header's name"},
      {probe(bad_header), "livenessProbe.httpGet.httpHeaders[1].value: has a control character"},
      {probe(bad_host), "livenessProbe.httpGet.host: is no host's name"},
      {probe(TcpSocketAction{"", {0, "nope"}}), "livenessProbe.tcpSocket.port: the container has"},
      {probe(SleepAction{1}), "livenessProbe.sleep: a probe cannot sleep"},
      {probe(std::monostate()), "livenessProbe: names nothing to do"},
      {with([](Container& c) { c.liveness_probe->success_threshold = 2; }),
       "livenessProbe.successThreshold: must be 1"},
      {with([](Container& c) {
         c.readiness_probe = c.liveness_probe;
         c.readiness_probe->termination_grace_period_seconds = 1;
       }),
       "readinessProbe.terminationGracePeriodSeconds: must not be set"},
      {with([](Container& c) { c.liveness_probe->termination_grace_period_seconds = 0; }),
       "livenessProbe.terminationGracePeriodSeconds: must be greater than 0"},
      {with([](Container& c) {
         c.lifecycle.post_start = TcpSocketAction{"", {80, ""}};
       }),
       "lifecycle.postStart.tcpSocket: Kubernetes fails such hooks"},
      {with([](Container& c) { c.lifecycle.pre_stop = SleepAction{-1}; }),
       "lifecycle.preStop.sleep.seconds: is negative"},
      {with([](Container& c) { c.lifecycle.stop_signal = "SIGNOT"; }),
       "lifecycle.stopSignal: no signal: SIGNOT"},
      {with([](Container& c) { c.termination_message_path = "log"; }),
       "terminationMessagePath: want the absolute path of a file"},
      {with([](Container& c) { c.termination_message_policy = "Guess"; }),
       "terminationMessagePolicy: want File or FallbackToLogsOnError"},
  };
  for (const auto& [container, words] : cases) {
    EXPECT_THAT(Plan(container).issues, HasSubstr(absl::StrCat("spec.containers[0].", words)));
  }
}

TEST(ProbePlannerTest, OnlySidecarsAmongInitContainersHaveProbesAndHooks) {
  const Container container = Probed(ExecAction{{"true"}});
  EXPECT_THAT(Plan(container, Role::kInit).issues,
              HasSubstr("only if its restartPolicy is Always"));
  EXPECT_THAT(Plan(container, Role::kSidecar).issues, IsEmpty());
}

TEST(ProbePlannerTest, PlansHooksWithoutExpandingTheirCommands) {
  Container container;
  container.lifecycle.post_start = ExecAction{{"touch", "$(FILE)"}};
  container.lifecycle.pre_stop = SleepAction{3};
  container.lifecycle.stop_signal = "SIGUSR1";
  const Planned planned = Plan(container);
  EXPECT_THAT(planned.issues, IsEmpty());
  EXPECT_THAT(planned.care.post_start->argv, ElementsAre("touch", "$(FILE)"));
  EXPECT_EQ(planned.care.pre_stop->pause, absl::Seconds(3));
  EXPECT_EQ(planned.care.stop_signal, 10);
}

TEST(ProbePlannerTest, KnowsTheSignalsThatKubernetesNames) {
  const std::pair<const char*, int> signals[] = {
      {"SIGHUP", 1},    {"SIGTERM", 15},     {"SIGIOT", 6},      {"SIGCLD", 17},
      {"SIGPOLL", 29},  {"SIGSYS", 31},      {"SIGRTMIN", 34},   {"SIGRTMIN+15", 49},
      {"SIGRTMAX", 64}, {"SIGRTMAX-14", 50}, {"SIGRTMIN+99", 0}, {"TERM", 0},
      {"", 0},          {"SIG", 0}};
  for (const auto& [name, number] : signals) EXPECT_EQ(SignalNumber(name), number) << name;
}

TEST(ProbePlannerTest, PlansWhereTheLastWordsAreRead) {
  Container container;
  EXPECT_EQ(Plan(container).message.path, "/dev/termination-log");
  EXPECT_FALSE(Plan(container).message.falls_back_to_log);
  container.termination_message_path = "/tmp//words";
  container.termination_message_policy = "FallbackToLogsOnError";
  EXPECT_EQ(Plan(container).message.path, "/tmp/words");
  EXPECT_TRUE(Plan(container).message.falls_back_to_log);
}

}  // namespace
}  // namespace podferry
