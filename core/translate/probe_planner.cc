#include "core/translate/probe_planner.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/pod_validator.h"
#include "core/translate/clean_path.h"
#include "core/translate/kubelet_values.h"

namespace podferry {
namespace {

// The containers of a pod share the network of the machine they run on.
constexpr char kPodHost[] = "127.0.0.1";
constexpr char kProbeAgent[] = "kube-probe/1.35";
constexpr char kHookAgent[] = "kube-lifecycle/1.35";

// What can be asked of an action: its place in the pod, and whose it is.
struct ActionContext {
  const Container& container;
  const VariableLookup* env;  // null: commands are not expanded
  const char* agent;
  FieldReport* report;
};

int32_t FindPort(const PortRef& port, const ActionContext& context, const FieldPath& path) {
  if (port.name.empty()) return port.number;
  for (const ContainerPort& known : context.container.ports) {
    if (known.name == port.name) return known.container_port;
  }
  const FieldPath at = path / "port";
  context.report->Refuse(at.ToString(),
                         absl::StrCat("the container has no port named ", port.name));
  return 0;
}

bool IsHeaderName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
  });
}

std::string HostOr(const std::string& host, const char* otherwise, const FieldPath& path,
                   FieldReport* report) {
  const bool usable = std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-._:%", c);
  });
  if (!usable) {
    const FieldPath at = path / "host";
    report->Refuse(at.ToString(), absl::StrCat("is no host's name or address: ", host));
  }
  return host.empty() ? otherwise : host;
}

PlannedAction Plan(const ExecAction& exec, const ActionContext& context, const FieldPath& path) {
  PlannedAction action;
  action.kind = PlannedAction::Kind::kExec;
  const FieldPath command = path / "command";
  for (size_t i = 0; i < exec.command.size(); ++i) {
    action.argv.push_back(context.env == nullptr ? exec.command[i]
                                                 : ExpandVariables(exec.command[i], *context.env));
    if (absl::StrContains(action.argv.back(), '\0')) {
      context.report->Refuse(command[i].ToString(), "an argument cannot hold the character NUL");
    } else if (action.argv.back().size() > kMaxArgumentBytes) {
      context.report->Refuse(command[i].ToString(),
                             "is longer than the 131071 bytes that Linux takes");
    }
  }
  if (action.argv.empty()) context.report->Refuse(command.ToString(), "missing");
  return action;
}

void PlanHeaders(const HttpGetAction& http, const ActionContext& context, const FieldPath& path,
                 PlannedAction* action) {
  bool has_agent = false;
  bool has_host = false;
  const FieldPath list = path / "httpHeaders";
  for (size_t i = 0; i < http.headers.size(); ++i) {
    const auto& [name, value] = http.headers[i];
    const FieldPath at = list[i];
    if (!IsHeaderName(name)) {
      context.report->Refuse((at / "name").ToString(), "is no header's name");
    } else if (std::any_of(value.begin(), value.end(), [](char c) {
                 return c != '\t' && absl::ascii_iscntrl(static_cast<unsigned char>(c));
               })) {
      context.report->Refuse((at / "value").ToString(), "has a control character");
    }
    // The first of several, as Go's http.Header.Get() has it.
    if (absl::EqualsIgnoreCase(name, "host") && std::exchange(has_host, true)) continue;
    has_agent = has_agent || absl::EqualsIgnoreCase(name, "user-agent");
    action->headers.emplace_back(name, value);
  }
  if (!has_agent) action->headers.emplace_back("User-Agent", context.agent);
}

PlannedAction Plan(const HttpGetAction& http, const ActionContext& context, const FieldPath& path) {
  PlannedAction action;
  action.kind = PlannedAction::Kind::kHttp;
  action.url = ProbeUrl(http.scheme, HostOr(http.host, kPodHost, path, context.report),
                        FindPort(http.port, context, path), http.path);
  PlanHeaders(http, context, path, &action);
  return action;
}

PlannedAction Plan(const TcpSocketAction& tcp, const ActionContext& context,
                   const FieldPath& path) {
  PlannedAction action;
  action.kind = PlannedAction::Kind::kTcp;
  action.host = HostOr(tcp.host, kPodHost, path, context.report);
  action.port = FindPort(tcp.port, context, path);
  return action;
}

PlannedAction Plan(const GrpcAction& grpc, const ActionContext& context, const FieldPath& path) {
  PlannedAction action;
  action.kind = PlannedAction::Kind::kGrpc;
  action.host = kPodHost;
  action.port = grpc.port;
  action.service = grpc.service;
  if (grpc.service.size() > 100) {
    context.report->Refuse((path / "service").ToString(), "is longer than 100 bytes");
  }
  return action;
}

PlannedAction Plan(const SleepAction& sleep, const ActionContext& context, const FieldPath& path) {
  PlannedAction action;
  action.kind = PlannedAction::Kind::kSleep;
  action.pause = absl::Seconds(sleep.seconds);
  if (sleep.seconds < 0) context.report->Refuse((path / "seconds").ToString(), "is negative");
  return action;
}

PlannedAction Plan(std::monostate, const ActionContext& context, const FieldPath& path) {
  context.report->Refuse(path.ToString(), "names nothing to do");
  return {};
}

absl::string_view MemberOf(const Handler& handler) {
  constexpr absl::string_view kMembers[] = {"", "exec", "httpGet", "tcpSocket", "grpc", "sleep"};
  return kMembers[handler.index()];
}

PlannedAction PlanAction(const Handler& handler, const ActionContext& context,
                         const FieldPath& path) {
  const FieldPath member = path / MemberOf(handler);
  return std::visit(
      [&](const auto& action) {
        return Plan(action, context, handler.index() == 0 ? path : member);
      },
      handler);
}

// Kubernetes takes 0 for "not given".
int32_t Or(int32_t number, int32_t otherwise) { return number > 0 ? number : otherwise; }

class ProbePlanner {
 public:
  ProbePlanner(const ActionContext& context, const FieldPath& path, PlannedCare* care)
      : context_(context), path_(path), care_(care) {}

  void Add(PlannedProbe::Kind kind, absl::string_view member, const std::optional<Probe>& probe) {
    if (!probe.has_value()) return;
    const FieldPath path = path_ / member;
    if (std::holds_alternative<SleepAction>(probe->handler)) {
      context_.report->Refuse((path / "sleep").ToString(), "a probe cannot sleep");
      return;
    }
    PlannedProbe planned;
    planned.kind = kind;
    planned.action = PlanAction(probe->handler, context_, path);
    planned.delay = absl::Seconds(probe->initial_delay_seconds);
    planned.period = absl::Seconds(Or(probe->period_seconds, 10));
    planned.timeout = absl::Seconds(Or(probe->timeout_seconds, 1));
    planned.success_threshold = Or(probe->success_threshold, 1);
    planned.failure_threshold = Or(probe->failure_threshold, 3);
    if (kind != PlannedProbe::Kind::kReadiness && planned.success_threshold != 1) {
      context_.report->Refuse((path / "successThreshold").ToString(),
                              "must be 1 for this kind of probe");
    }
    AddGrace(*probe, path, &planned);
    care_->probes.push_back(std::move(planned));
  }

 private:
  void AddGrace(const Probe& probe, const FieldPath& path, PlannedProbe* planned) {
    if (!probe.termination_grace_period_seconds.has_value()) return;
    const FieldPath at = path / "terminationGracePeriodSeconds";
    if (planned->kind == PlannedProbe::Kind::kReadiness) {
      context_.report->Refuse(at.ToString(), "must not be set for readiness probes");
    } else if (*probe.termination_grace_period_seconds <= 0) {
      context_.report->Refuse(at.ToString(), "must be greater than 0");
    }
    planned->grace = absl::Seconds(*probe.termination_grace_period_seconds);
  }

  const ActionContext& context_;
  const FieldPath& path_;
  PlannedCare* care_;
};

std::optional<PlannedAction> PlanHook(const std::optional<Handler>& hook,
                                      const ActionContext& context, const FieldPath& path) {
  if (!hook.has_value() || std::holds_alternative<std::monostate>(*hook)) return std::nullopt;
  if (std::holds_alternative<TcpSocketAction>(*hook)) {
    context.report->Refuse((path / "tcpSocket").ToString(),
                           "Kubernetes fails such hooks; use exec, httpGet or sleep");
    return std::nullopt;
  }
  if (std::holds_alternative<GrpcAction>(*hook)) {
    context.report->Refuse((path / "grpc").ToString(), "use exec, httpGet or sleep");
    return std::nullopt;
  }
  return PlanAction(*hook, context, path);
}

bool HasCare(const Container& container) {
  return container.startup_probe.has_value() || container.liveness_probe.has_value() ||
         container.readiness_probe.has_value() || container.lifecycle.post_start.has_value() ||
         container.lifecycle.pre_stop.has_value();
}

}  // namespace

PlannedCare PlanCare(const Container& container, Role role, const VariableLookup& env,
                     const FieldPath& path, FieldReport* report) {
  PlannedCare care;
  if (role == Role::kInit && HasCare(container)) {
    report->Refuse(path.ToString(),
                   "an init container may have probes and hooks only if its restartPolicy is "
                   "Always");
    return care;
  }
  const ActionContext probe_context = {container, &env, kProbeAgent, report};
  ProbePlanner probes(probe_context, path, &care);
  probes.Add(PlannedProbe::Kind::kStartup, "startupProbe", container.startup_probe);
  probes.Add(PlannedProbe::Kind::kLiveness, "livenessProbe", container.liveness_probe);
  probes.Add(PlannedProbe::Kind::kReadiness, "readinessProbe", container.readiness_probe);
  const ActionContext hook_context = {container, nullptr, kHookAgent, report};
  const FieldPath lifecycle = path / "lifecycle";
  care.post_start = PlanHook(container.lifecycle.post_start, hook_context, lifecycle / "postStart");
  care.pre_stop = PlanHook(container.lifecycle.pre_stop, hook_context, lifecycle / "preStop");
  const std::string& signal = container.lifecycle.stop_signal;
  if (!signal.empty()) {
    care.stop_signal = SignalNumber(signal);
    if (care.stop_signal == 0) {
      report->Refuse((lifecycle / "stopSignal").ToString(), absl::StrCat("no signal: ", signal));
    }
  }
  return care;
}

PlannedMessage PlanMessage(const Container& container, const FieldPath& path, FieldReport* report) {
  PlannedMessage message;
  const std::string& file = container.termination_message_path;
  if (!file.empty()) {
    const std::optional<std::string> clean = CleanAbsolutePath(file);
    if (!clean.has_value() || *clean == "/") {
      const FieldPath at = path / "terminationMessagePath";
      report->Refuse(at.ToString(), "want the absolute path of a file, without ..");
    }
    message.path = clean.value_or("");
  }
  const std::string& policy = container.termination_message_policy;
  message.falls_back_to_log = policy == "FallbackToLogsOnError";
  if (!policy.empty() && policy != "File" && !message.falls_back_to_log) {
    const FieldPath at = path / "terminationMessagePolicy";
    report->Refuse(at.ToString(), "want File or FallbackToLogsOnError");
  }
  return message;
}

}  // namespace podferry
