#include "tools/podferry/plugin_client.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/http/http_client.h"
#include "core/json/document.h"
#include "core/os/asio_event_loop.h"

namespace podferry {
namespace {

HttpRequest MakeRequest(absl::string_view method, absl::string_view target, std::string body) {
  HttpRequest request;
  size_t query = target.find('?');
  request.method = std::string(method);
  request.path = std::string(target.substr(0, query));
  if (query != absl::string_view::npos) request.query = std::string(target.substr(query + 1));
  if (!body.empty()) request.headers.Set("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

// The plugin's error body is {"error": ..., "issues": [{"field", "message"}]}.
absl::Status ErrorOf(int code, absl::string_view body) {
  std::string text;
  if (auto document = json::Document::Parse(body); document.ok()) {
    json::Value root = document->Root(nullptr);
    text = std::string(root.Get("error").StringOr(""));
    for (json::Value issue : root.Get("issues").Items()) {
      absl::StrAppend(&text, "\n  ", issue.Get("field").StringOr(""), ": ",
                      issue.Get("message").StringOr(""));
    }
  }
  if (text.empty()) text = absl::StrCat("HTTP ", code, " ", body.substr(0, 500));
  return code == 404  ? absl::NotFoundError(text)
         : code < 500 ? absl::InvalidArgumentError(text)
                      : absl::UnavailableError(text);
}

}  // namespace

absl::Status PluginClient::Unreachable(const absl::Status& status) const {
  return absl::Status(status.code(),
                      absl::StrCat("the plugin at ", url_, " does not answer: ", status.message(),
                                   " (--plugin or PODFERRY_PLUGIN says where it listens)"));
}

absl::StatusOr<std::string> PluginClient::Call(HttpRequest request) {
  AsioEventLoop loop;
  PODFERRY_ASSIGN_OR_RETURN(auto client, HttpClient::Create(loop, {}));
  absl::StatusOr<HttpResponse> answer = absl::UnknownError("no answer");
  client->Send(url_, std::move(request), {}, [&](absl::StatusOr<HttpResponse> response) {
    answer = std::move(response);
    loop.Stop();
  });
  loop.Run();
  if (!answer.ok()) return Unreachable(answer.status());
  if (answer->status / 100 != 2) return ErrorOf(answer->status, answer->body);
  return std::move(answer->body);
}

absl::StatusOr<std::string> PluginClient::Get(absl::string_view path) {
  return Call(MakeRequest("GET", path, ""));
}

absl::StatusOr<std::string> PluginClient::Post(absl::string_view path, std::string body) {
  return Call(MakeRequest("POST", path, std::move(body)));
}

absl::StatusOr<std::string> PluginClient::Delete(absl::string_view path) {
  return Call(MakeRequest("DELETE", path, ""));
}

absl::Status PluginClient::Stream(absl::string_view path,
                                  const std::function<void(absl::string_view)>& piece) {
  AsioEventLoop loop;
  PODFERRY_ASSIGN_OR_RETURN(auto client, HttpClient::Create(loop, {}));
  int code = 0;
  std::string error;
  absl::Status end;
  HttpStreamCallbacks callbacks;
  callbacks.on_header = [&](int status, const HttpHeaders&) { code = status; };
  callbacks.on_chunk = [&](absl::string_view chunk) {
    code / 100 == 2 ? piece(chunk) : absl::StrAppend(&error, chunk);
  };
  callbacks.on_end = [&](absl::Status status) {
    end = std::move(status);
    loop.Stop();
  };
  client->Stream(url_, MakeRequest("GET", path, ""), {}, std::move(callbacks));
  loop.Run();
  if (code != 0 && code / 100 != 2) return ErrorOf(code, error);
  return end.ok() ? end : Unreachable(end);
}

}  // namespace podferry
