#include "core/translate/script_care.h"

#include <algorithm>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/translate/shell_quote.h"

namespace podferry {
namespace {

using Kind = PlannedAction::Kind;

bool AnyAction(const JobPlan& plan, const std::function<bool(const PlannedAction&)>& holds) {
  const auto some = [&](const std::optional<PlannedAction>& action) {
    return action.has_value() && holds(*action);
  };
  for (const PlannedContainer& container : plan.containers) {
    const PlannedCare& care = container.care;
    if (some(care.post_start) || some(care.pre_stop)) return true;
    for (const PlannedProbe& probe : care.probes) {
      if (holds(probe.action)) return true;
    }
  }
  return false;
}

// The plan's probes in the order of their numbers in the script.
template <typename Visit>
void ForEachProbe(const JobPlan& plan, const Visit& visit) {
  for (size_t i = 0; i < plan.containers.size(); ++i) {
    for (const PlannedProbe& probe : plan.containers[i].care.probes) visit(i, probe);
  }
}

void AppendArray(const JobPlan& plan, absl::string_view name,
                 const std::function<std::string(size_t, const PlannedProbe&)>& element,
                 std::string* out) {
  absl::StrAppend(out, name, "=(");
  const char* separator = "";
  ForEachProbe(plan, [&](size_t i, const PlannedProbe& probe) {
    absl::StrAppend(out, separator, element(i, probe));
    separator = " ";
  });
  absl::StrAppend(out, ")\n");
}

std::string Flag(bool flag) { return flag ? "1" : "0"; }

void AppendContainers(const JobPlan& plan, absl::string_view name,
                      const std::function<std::string(const PlannedContainer&)>& element,
                      std::string* out) {
  absl::StrAppend(out, name, "=(");
  for (size_t i = 0; i < plan.containers.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : " ", element(plan.containers[i]));
  }
  absl::StrAppend(out, ")\n");
}

std::string Hundredths(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Milliseconds(duration) / 10);
}
int64_t SecondsRoundedUp(absl::Duration duration) {
  return absl::ToInt64Seconds(absl::Ceil(duration, absl::Seconds(1)));
}

absl::string_view NameOf(PlannedProbe::Kind kind) {
  switch (kind) {
    case PlannedProbe::Kind::kStartup:
      return "startup";
    case PlannedProbe::Kind::kLiveness:
      return "liveness";
    case PlannedProbe::Kind::kReadiness:
      break;
  }
  return "readiness";
}

void AppendWord(absl::string_view bytes, std::string* out) {
  out->push_back(' ');
  AppendShellQuoted(bytes, out);
}

// As curl wants it: "Name;" is sent with an empty value, "Name:" takes away one of curl's own.
std::string CurlHeader(const std::string& name, const std::string& value) {
  if (!value.empty()) return absl::StrCat(name, ": ", value);
  const bool is_default =
      absl::EqualsIgnoreCase(name, "user-agent") || absl::EqualsIgnoreCase(name, "accept");
  return absl::StrCat(name, is_default ? ":" : ";");
}

// grpc.health.v1.HealthCheckRequest, framed: not compressed, four bytes of length, field 1.
std::string GrpcRequest(const std::string& service) {
  std::string message;
  if (!service.empty()) {
    message = absl::StrCat("\n", std::string(1, static_cast<char>(service.size())), service);
  }
  std::string request(5, '\0');
  request[4] = static_cast<char>(message.size());
  return PrintfEscape(request + message);
}

// A call of a function of actions.bash.
void AppendCall(const PlannedAction& action, size_t container, bool is_hook, std::string* out) {
  switch (action.kind) {
    case Kind::kExec:
      absl::StrAppend(out, "run_command ", container);
      for (const std::string& argument : action.argv) AppendWord(argument, out);
      return;
    case Kind::kHttp:
      absl::StrAppend(out, is_hook ? "call_http" : "probe_http");
      AppendWord(action.url, out);
      for (const auto& [name, value] : action.headers) AppendWord(CurlHeader(name, value), out);
      return;
    case Kind::kTcp:
      absl::StrAppend(out, "connect_to");
      AppendWord(action.host, out);
      absl::StrAppend(out, " ", action.port);
      return;
    case Kind::kGrpc:
      absl::StrAppend(out, "probe_grpc");
      AppendWord(action.host, out);
      absl::StrAppend(out, " ", action.port);
      AppendWord(GrpcRequest(action.service), out);
      return;
    case Kind::kSleep:
      absl::StrAppend(out, "sleep ", absl::ToInt64Seconds(action.pause));
      return;
  }
}

void AppendFunction(absl::string_view name, size_t number, const PlannedAction& action,
                    size_t container, bool is_hook, std::string* out) {
  absl::StrAppend(out, name, "_", number, "() {\n  ");
  AppendCall(action, container, is_hook, out);
  absl::StrAppend(out, "\n}\n");
}

void AppendMessageVariables(const JobPlan& plan, std::string* out) {
  AppendContainers(
      plan, "message_files",
      [](const PlannedContainer& container) { return Flag(!container.message.path.empty()); }, out);
  AppendContainers(
      plan, "log_messages",
      [](const PlannedContainer& container) { return Flag(container.message.falls_back_to_log); },
      out);
}

void AppendHookVariables(const JobPlan& plan, std::string* out) {
  AppendContainers(
      plan, "post_starts",
      [](const PlannedContainer& container) { return Flag(container.care.post_start.has_value()); },
      out);
  AppendContainers(
      plan, "pre_stops",
      [](const PlannedContainer& container) { return Flag(container.care.pre_stop.has_value()); },
      out);
  const auto any = [&plan](Kind kind) {
    return AnyAction(plan, [kind](const PlannedAction& action) { return action.kind == kind; });
  };
  absl::StrAppend(out, "needs_curl=", any(Kind::kHttp) || any(Kind::kGrpc) ? 1 : 0,
                  " needs_http2=", any(Kind::kGrpc) ? 1 : 0, "\n");
}

void AppendProbeVariables(const JobPlan& plan, std::string* out) {
  AppendArray(
      plan, "probe_of", [](size_t i, const PlannedProbe&) { return absl::StrCat(i); }, out);
  const auto add = [&](absl::string_view name,
                       const std::function<std::string(const PlannedProbe&)>& value) {
    AppendArray(
        plan, name, [&](size_t, const PlannedProbe& probe) { return value(probe); }, out);
  };
  add("probe_kinds", [](const PlannedProbe& p) { return std::string(NameOf(p.kind)); });
  add("probe_delays", [](const PlannedProbe& p) { return Hundredths(p.delay); });
  add("probe_periods", [](const PlannedProbe& p) { return Hundredths(p.period); });
  add("probe_timeouts", [](const PlannedProbe& p) { return Hundredths(p.timeout); });
  add("probe_seconds",
      [](const PlannedProbe& p) { return absl::StrCat(SecondsRoundedUp(p.timeout)); });
  add("probe_successes", [](const PlannedProbe& p) { return absl::StrCat(p.success_threshold); });
  add("probe_failures", [](const PlannedProbe& p) { return absl::StrCat(p.failure_threshold); });
  add("probe_graces", [](const PlannedProbe& p) {
    return absl::StrCat(p.grace.has_value() ? SecondsRoundedUp(*p.grace) : -1);
  });
}

}  // namespace

bool NeedsCare(const JobPlan& plan) {
  return AnyAction(plan, [](const PlannedAction&) { return true; });
}

bool NeedsMessages(const JobPlan& plan) {
  return std::any_of(
      plan.containers.begin(), plan.containers.end(), [](const PlannedContainer& container) {
        return !container.message.path.empty() || container.message.falls_back_to_log;
      });
}

bool EntersContainers(const JobPlan& plan) {
  return AnyAction(plan, [](const PlannedAction& action) { return action.kind == Kind::kExec; });
}

std::string RenderCareVariables(const JobPlan& plan) {
  std::string out;
  AppendContainers(
      plan, "stop_signals",
      [](const PlannedContainer& container) {
        return container.care.stop_signal == 0 ? "''" : absl::StrCat(container.care.stop_signal);
      },
      &out);
  const bool needs_care = NeedsCare(plan);
  const bool needs_messages = NeedsMessages(plan);
  absl::StrAppend(&out, "has_care=", needs_care ? 1 : 0, " has_messages=", needs_messages ? 1 : 0,
                  "\n");
  if (needs_messages) AppendMessageVariables(plan, &out);
  if (needs_care) {
    AppendHookVariables(plan, &out);
    AppendProbeVariables(plan, &out);
  }
  return out;
}

std::string RenderCareFunctions(const JobPlan& plan) {
  std::string out;
  size_t number = 0;
  ForEachProbe(plan, [&](size_t i, const PlannedProbe& probe) {
    AppendFunction("probe", number++, probe.action, i, /*is_hook=*/false, &out);
  });
  for (size_t i = 0; i < plan.containers.size(); ++i) {
    const PlannedCare& care = plan.containers[i].care;
    if (care.post_start.has_value()) {
      AppendFunction("post_start", i, *care.post_start, i, /*is_hook=*/true, &out);
    }
    if (care.pre_stop.has_value()) {
      AppendFunction("pre_stop", i, *care.pre_stop, i, /*is_hook=*/true, &out);
    }
  }
  return out;
}

}  // namespace podferry
