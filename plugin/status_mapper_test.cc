#include "plugin/status_mapper.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/issues.h"
#include "core/base/testing/status_matchers.h"
#include "core/json/document.h"
#include "core/pod/pod_parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using Kind = ContainerState::Kind;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

JobDescription Job() {
  JobDescription job;
  job.key = {"origin", "uid-1"};
  job.pod_namespace = "default";
  job.pod_name = "pod";
  job.containers = {{"i1", "img", true, false},
                    {"side", "img", true, true},
                    {"i2", "img", true, false},
                    {"c1", "img", false, false},
                    {"c2", "img", false, false}};
  return job;
}

ContainerStatus Container(const std::string& name, bool init, Kind kind, int exit_code = 0) {
  ContainerStatus container;
  container.name = name;
  container.init = init;
  container.sidecar = name == "side";
  container.state.kind = kind;
  container.state.exit_code = exit_code;
  container.state.started_at = kNow;
  return container;
}

JobStatus Status(JobPhase phase, std::vector<ContainerStatus> containers = {},
                 FailureReason failure = FailureReason::kUnspecified) {
  JobStatus status;
  status.phase = phase;
  status.failure = failure;
  status.message = "words";
  status.changed_at = kNow;
  status.containers = std::move(containers);
  return status;
}

// "i1:waiting i2:terminated(1)"
std::string Short(const std::vector<ContainerStatus>& containers) {
  std::string text;
  for (const ContainerStatus& c : containers) {
    absl::StrAppend(&text, text.empty() ? "" : " ", c.name, ":");
    switch (c.state.kind) {
      case Kind::kUnspecified:
        absl::StrAppend(&text, "?");
        break;
      case Kind::kWaiting:
        absl::StrAppend(&text, "waiting");
        break;
      case Kind::kRunning:
        absl::StrAppend(&text, "running");
        break;
      case Kind::kTerminated:
        absl::StrAppend(&text, "ended(", c.state.exit_code, ")");
    }
  }
  return text;
}

TEST(StatusMapperTest, ShowsEveryContainerOfThePodWithoutSidecars) {
  const auto waiting = [](const char* name, bool init) {
    return Container(name, init, Kind::kWaiting);
  };
  const auto ended = [](const char* name, bool init, int code) {
    return Container(name, init, Kind::kTerminated, code);
  };
  const auto running = [](const char* name, bool init) {
    return Container(name, init, Kind::kRunning);
  };
  struct Case {
    const char* name;
    JobStatus status;
    const char* shown;
  };
  const std::vector<Case> cases = {
      {"queued", Status(JobPhase::kQueued), "i1:waiting i2:waiting c1:waiting c2:waiting"},
      {"first init runs",
       Status(JobPhase::kRunning, {running("i1", true), waiting("i2", true), running("side", true),
                                   waiting("c1", false), waiting("c2", false)}),
       "i1:running i2:waiting c1:waiting c2:waiting"},
      {"the submitter tells of some only", Status(JobPhase::kRunning, {running("c2", false)}),
       "i1:waiting i2:waiting c1:waiting c2:running"},
      {"one has ended",
       Status(JobPhase::kRunning, {ended("i1", true, 0), ended("i2", true, 0),
                                   ended("c1", false, 3), running("c2", false)}),
       "i1:ended(0) i2:ended(0) c1:ended(3) c2:running"},
      {"all have ended, but the job goes on",
       Status(JobPhase::kRunning, {ended("i1", true, 0), ended("i2", true, 0),
                                   ended("c1", false, 3), ended("c2", false, 1)}),
       "i1:ended(0) i2:ended(0) c1:ended(3) c2:running"},
      {"succeeded",
       Status(JobPhase::kSucceeded, {ended("i1", true, 0), ended("i2", true, 0),
                                     ended("c1", false, 0), ended("c2", false, 0)}),
       "i1:ended(0) i2:ended(0) c1:ended(0) c2:ended(0)"},
      {"succeeded, the details were lost", Status(JobPhase::kSucceeded),
       "i1:ended(0) i2:ended(0) c1:ended(0) c2:ended(0)"},
      {"an init failed",
       Status(
           JobPhase::kFailed,
           {ended("i1", true, 7), waiting("i2", true), waiting("c1", false), waiting("c2", false)},
           FailureReason::kError),
       "i1:ended(7) i2:ended(1) c1:ended(1) c2:ended(1)"},
      {"rejected", Status(JobPhase::kFailed, {}, FailureReason::kSubmitRejected),
       "i1:ended(1) i2:ended(1) c1:ended(1) c2:ended(1)"},
      {"lost while running",
       Status(JobPhase::kFailed,
              {ended("i1", true, 0), ended("i2", true, 0), running("c1", false),
               ended("c2", false, 0)},
              FailureReason::kNodeLost),
       "i1:ended(0) i2:ended(0) c1:ended(1) c2:ended(0)"},
      {"failed though all ended well",
       Status(JobPhase::kFailed,
              {ended("i1", true, 0), ended("i2", true, 0), ended("c1", false, 0),
               ended("c2", false, 0)},
              FailureReason::kNodeLost),
       "i1:ended(0) i2:ended(0) c1:ended(0) c2:ended(1)"},
      {"out of memory", Status(JobPhase::kFailed, {}, FailureReason::kOomKilled),
       "i1:ended(137) i2:ended(137) c1:ended(137) c2:ended(137)"},
      {"too late", Status(JobPhase::kFailed, {}, FailureReason::kDeadlineExceeded),
       "i1:ended(143) i2:ended(143) c1:ended(143) c2:ended(143)"},
      {"deleted", Status(JobPhase::kDeleted),
       "i1:ended(137) i2:ended(137) c1:ended(137) c2:ended(137)"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Short(ShownContainers(Job().containers, c.status, "Queued", "why")), c.shown)
        << c.name;
  }
}

TEST(StatusMapperTest, SaysWhyItWaitsAndWhyItFailed) {
  const auto waiting = ShownContainers(Job().containers, Status(JobPhase::kQueued), "PoolUnknown",
                                       "no such pool yet");
  for (const ContainerStatus& c : waiting) {
    EXPECT_EQ(c.state.reason, "PoolUnknown");
    EXPECT_EQ(c.state.message, "no such pool yet");
  }
  const auto failed = ShownContainers(
      Job().containers, Status(JobPhase::kFailed, {}, FailureReason::kSubmitRejected), "", "");
  for (const ContainerStatus& c : failed) {
    EXPECT_EQ(c.state.reason, "SubmitRejected");
    EXPECT_EQ(c.state.message, "words");
  }
}

TEST(StatusMapperTest, WritesWhatInterLinkReads) {
  JobDescription job = Job();
  job.containers = {{"c1", "busybox:1.36", false, false}};
  ContainerStatus container = Container("c1", false, Kind::kTerminated, 42);
  container.state.finished_at = kNow + absl::Seconds(61);
  container.state.reason = "Error";
  container.state.message = "it \"broke\"\n";
  container.restart_count = 1;
  container.image_id = "sha256:0";
  EXPECT_EQ(
      RenderPodStatus(job, Status(JobPhase::kFailed, {container}, FailureReason::kError), "", ""),
      R"({"name":"pod","UID":"uid-1","namespace":"default","JID":"uid-1","containers":[{"name":"c1",)"
      R"("state":{"terminated":{"exitCode":42,"reason":"Error","message":"it \"broke\"\n",)"
      R"("startedAt":"2027-01-15T08:00:00Z","finishedAt":"2027-01-15T08:01:01Z"}},"lastState":{},)"
      R"("ready":false,"restartCount":1,"image":"busybox:1.36","imageID":"sha256:0",)"
      R"("started":false}],"initContainers":[]})");
}

TEST(StatusMapperTest, TimesThatAreNotKnownAreNull) {
  JobDescription job = Job();
  job.containers = {{"c1", "i", false, false}};
  ContainerStatus container = Container("c1", false, Kind::kRunning);
  container.state.started_at = absl::InfinitePast();
  EXPECT_THAT(RenderPodStatus(job, Status(JobPhase::kRunning, {container}), "", ""),
              HasSubstr(R"("state":{"running":{"startedAt":null}})"));
}

TEST(StatusMapperTest, IsJsonWhateverTheBackendSays) {
  JobStatus status = Status(JobPhase::kFailed, {}, FailureReason::kError);
  status.message = "\xff\x01\"}]";
  EXPECT_THAT(json::Document::Parse(RenderPodStatus(Job(), status, "", "")), IsOk());
}

TEST(StatusMapperTest, AContainerHasStartedOnceItsStartupProbeHasPassed) {
  JobDescription job = Job();
  job.containers = {{"c1", "i", false, false}};
  ContainerStatus container = Container("c1", false, Kind::kRunning);
  container.starting = true;
  const JobStatus starting = Status(JobPhase::kRunning, {container});
  EXPECT_THAT(RenderPodStatus(job, starting, "", ""), HasSubstr(R"("started":false)"));
  container.starting = false;
  const JobStatus started = Status(JobPhase::kRunning, {container});
  EXPECT_THAT(RenderPodStatus(job, started, "", ""), HasSubstr(R"("started":true)"));
}

TEST(StatusMapperTest, TellsHowTheAttemptBeforeEndedAndHowManyThereWere) {
  JobDescription job = Job();
  job.containers = {{"c1", "i", false, false}};
  ContainerStatus container = Container("c1", false, Kind::kRunning);
  container.restart_count = 4;
  container.last_state = ContainerState{.kind = Kind::kTerminated,
                                        .reason = "Error",
                                        .message = "Container c1 failed liveness probe",
                                        .started_at = kNow,
                                        .finished_at = kNow + absl::Seconds(5),
                                        .exit_code = 137,
                                        .signal = 9};
  const std::string text = RenderPodStatus(job, Status(JobPhase::kRunning, {container}), "", "");
  EXPECT_THAT(text, HasSubstr(R"("lastState":{"terminated":{"exitCode":137,"signal":9,)"
                              R"("reason":"Error","message":"Container c1 failed liveness probe",)"
                              R"("startedAt":"2027-01-15T08:00:00Z",)"
                              R"("finishedAt":"2027-01-15T08:00:05Z"}})"));
  EXPECT_THAT(text, HasSubstr(R"("restartCount":4)"));
}

TEST(StatusMapperTest, AtFirstAllInitContainersWait) {
  JobDescription job = Job();
  const std::string text = RenderNothingStarted(job);
  const std::string waiting = R"(,"state":{"waiting":{"reason":"PodInitializing"}},)";
  for (const char* name : {"i1", "i2", "c1", "c2"}) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\"name\":\"", name, "\"", waiting)));
  }
}

TEST(StatusMapperTest, ExitCodesAreNumbersOf32Bits) {
  JobDescription job = Job();
  job.containers = {{"c1", "i", false, false}};
  for (const int32_t code : {2147483647, -1, 255}) {
    const JobStatus status =
        Status(JobPhase::kFailed, {Container("c1", false, Kind::kTerminated, code)},
               FailureReason::kError);
    EXPECT_THAT(RenderPodStatus(job, status, "", ""),
                HasSubstr(absl::StrCat("\"exitCode\":", code, ",")));
  }
}

TEST(LostPodTest, EndsEveryContainerThatWasOffloaded) {
  Issues issues;
  PODFERRY_ASSERT_OK_AND_ASSIGN(
      Pod pod, ParsePod(R"({"metadata":{"name":"p","namespace":"n","uid":"u","annotations":{
                     "interlink.eu/disable-offload-containers":"local, other"}},
                   "spec":{"initContainers":[{"name":"i"}],
                           "containers":[{"name":"c"},{"name":"local"}]}})",
                        &issues));
  const std::string lost = RenderLostPod(pod, kNow);
  EXPECT_THAT(lost, HasSubstr(R"("name":"c","state":{"terminated":{"exitCode":1,"reason":"Lost")"));
  EXPECT_THAT(lost, HasSubstr(R"("name":"i","state":{"terminated")"));
  EXPECT_THAT(lost, Not(HasSubstr("\"local\"")));
  EXPECT_THAT(RenderLostPod(Pod{}, kNow), IsEmpty());
}

TEST(StatusMapperTest, WarningsAreShownWhereSomebodyLooksAndNoMessageIsOverwritten) {
  std::vector<ContainerStatus> shown = {
      Container("waits", false, Kind::kWaiting),
      Container("runs", false, Kind::kRunning),
      Container("failed", false, Kind::kTerminated, 3),
      Container("said", false, Kind::kTerminated, 3),
      Container("done", false, Kind::kTerminated, 0),
  };
  shown[0].state.reason = "PoolUnknown";
  shown[0].state.message = "no submitter";
  shown[3].state.message = "its own words";
  AddWarnings({"spec.a: not enforced", "spec.b: there is none"}, &shown);
  const std::string ignored = "ignored: spec.a: not enforced; spec.b: there is none";
  EXPECT_EQ(shown[0].state.message, "no submitter; " + ignored);
  EXPECT_EQ(shown[1].state.message, "");
  EXPECT_EQ(shown[2].state.message, ignored);
  EXPECT_EQ(shown[3].state.message, "its own words");
  EXPECT_EQ(shown[4].state.message, "");
}

TEST(StatusMapperTest, WhatTheRuntimeSaidOfAnImageArrivesUnchanged) {
  JobStatus status = Status(JobPhase::kRunning);
  ContainerStatus c1 = Container("c1", false, Kind::kWaiting);
  c1.state.reason = "ImagePullBackOff";
  c1.state.message = "FATAL: manifest unknown \"x\"";
  c1.image_id = "docker.io/library/x@sha256:1234";
  c1.restart_count = 4;
  c1.last_state = Container("c1", false, Kind::kTerminated, 137).state;
  c1.last_state->reason = "OOMKilled";
  c1.last_state->signal = 9;
  c1.last_state->message = "last words";
  c1.last_state->finished_at = kNow + absl::Seconds(5);
  status.containers = {c1};
  const std::string json = RenderPodStatus(Job(), status, "Running", "");
  EXPECT_THAT(
      json,
      testing::AllOf(
          HasSubstr(R"("state":{"waiting":{"reason":"ImagePullBackOff",)"
                    R"("message":"FATAL: manifest unknown \"x\""}})"),
          HasSubstr(R"("lastState":{"terminated":{"exitCode":137,"signal":9,"reason":"OOMKilled",)"
                    R"("message":"last words","startedAt":"2027-01-15T08:00:00Z",)"
                    R"("finishedAt":"2027-01-15T08:00:05Z"}})"),
          HasSubstr(R"("restartCount":4)"),
          HasSubstr(R"("imageID":"docker.io/library/x@sha256:1234")")));
}

}  // namespace
}  // namespace podferry
