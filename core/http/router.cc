#include "core/http/router.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/http/json_error.h"

namespace podferry {
namespace {

bool IsParam(absl::string_view segment) { return absl::StartsWith(segment, "{"); }

absl::string_view ParamName(absl::string_view segment) {
  return segment.substr(1, segment.size() - 2);
}

// "/a/b" is {"a", "b"}, "/" is {""}; a trailing slash is an empty last segment.
std::vector<absl::string_view> Split(absl::string_view path) {
  return absl::StrSplit(path.substr(1), '/');
}

}  // namespace

void HttpRouter::Handle(absl::string_view method, absl::string_view pattern, HttpHandler handler) {
  CHECK(absl::StartsWith(pattern, "/")) << pattern;
  Route route = {std::string(method), std::string(pattern), {}, std::move(handler)};
  for (const absl::string_view segment : Split(pattern)) {
    CHECK_EQ(IsParam(segment), absl::EndsWith(segment, "}")) << pattern;
    route.segments.emplace_back(segment);
  }
  for (const Route& other : routes_) {
    CHECK(other.method != method || other.pattern != pattern)
        << method << " " << pattern << " has a route already";
  }
  // Where two patterns first differ in kind, the one with the literal goes first.
  const auto before = [](const Route& a, const Route& b) {
    return std::lexicographical_compare(
        a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
        [](const std::string& x, const std::string& y) { return !IsParam(x) && IsParam(y); });
  };
  routes_.insert(std::upper_bound(routes_.begin(), routes_.end(), route, before), std::move(route));
}

bool HttpRouter::Route::Matches(const Path& path) const {
  if (path.size() != segments.size()) return false;
  for (size_t i = 0; i < path.size(); ++i) {
    if (IsParam(segments[i]) ? path[i].empty() : path[i] != segments[i]) return false;
  }
  return true;
}

int HttpRouter::Find(const HttpRequest& request, const Path& path) const {
  int get = -1;
  for (size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    if (!route.Matches(path)) continue;
    if (route.method == request.method) return static_cast<int>(i);
    if (get < 0 && route.method == "GET") get = static_cast<int>(i);
  }
  return request.method == "HEAD" ? get : -1;
}

std::string HttpRouter::Allowed(const Path& path) const {
  std::vector<std::string> methods;
  for (const Route& route : routes_) {
    if (!route.Matches(path)) continue;
    methods.push_back(route.method);
    if (route.method == "GET") methods.push_back("HEAD");
  }
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  return absl::StrJoin(methods, ", ");
}

void HttpRouter::Dispatch(HttpRequest request, ResponseWriter writer) {
  if (!absl::StartsWith(request.path, "/")) {
    return writer.Send(JsonError(404, absl::StrCat("no such path: ", request.path)));
  }
  const std::vector<absl::string_view> path = Split(request.path);
  const int found = Find(request, path);
  if (found < 0) {
    const std::string allowed = Allowed(path);
    if (allowed.empty()) {
      return writer.Send(JsonError(404, absl::StrCat("no such path: ", request.path)));
    }
    HttpResponse response =
        JsonError(405, absl::StrCat(request.path, " takes ", allowed, ", not ", request.method));
    response.headers.Add("Allow", allowed);
    return writer.Send(std::move(response));
  }
  Route& route = routes_[found];
  request.path_params.clear();
  for (size_t i = 0; i < path.size(); ++i) {
    if (!IsParam(route.segments[i])) continue;
    absl::StatusOr<std::string> value = PercentDecode(path[i]);
    if (!value.ok()) {
      return writer.Send(JsonError(400, absl::StrCat("path: ", value.status().message())));
    }
    request.path_params.emplace_back(ParamName(route.segments[i]), *std::move(value));
  }
  route.handler(std::move(request), std::move(writer));
}

HttpHandler HttpRouter::AsHandler() {
  return [this](HttpRequest request, ResponseWriter writer) {
    Dispatch(std::move(request), std::move(writer));
  };
}

absl::string_view HttpRouter::PatternOf(const HttpRequest& request) const {
  if (!absl::StartsWith(request.path, "/")) return {};
  const int found = Find(request, Split(request.path));
  return found < 0 ? absl::string_view() : absl::string_view(routes_[found].pattern);
}

}  // namespace podferry
