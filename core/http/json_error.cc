#include "core/http/json_error.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/json/document.h"
#include "core/json/writer.h"

namespace podferry {
namespace {

struct CodePair {
  absl::StatusCode code;
  int http;
};

// For the way back, the first line with a status counts.
constexpr CodePair kCodes[] = {
    {absl::StatusCode::kInvalidArgument, 400},   {absl::StatusCode::kOutOfRange, 400},
    {absl::StatusCode::kUnauthenticated, 401},   {absl::StatusCode::kPermissionDenied, 403},
    {absl::StatusCode::kNotFound, 404},          {absl::StatusCode::kAlreadyExists, 409},
    {absl::StatusCode::kAborted, 409},           {absl::StatusCode::kFailedPrecondition, 412},
    {absl::StatusCode::kResourceExhausted, 429}, {absl::StatusCode::kCancelled, 499},
    {absl::StatusCode::kInternal, 500},          {absl::StatusCode::kUnknown, 500},
    {absl::StatusCode::kDataLoss, 500},          {absl::StatusCode::kUnimplemented, 501},
    {absl::StatusCode::kUnavailable, 503},       {absl::StatusCode::kDeadlineExceeded, 504},
};

// Enough to say what is wrong; an HTML page of a proxy in between is cut.
constexpr size_t kMaxQuoted = 512;

}  // namespace

int HttpStatusOf(absl::StatusCode code) {
  if (code == absl::StatusCode::kOk) return 200;
  for (const CodePair& pair : kCodes) {
    if (pair.code == code) return pair.http;
  }
  return 500;
}

absl::StatusCode StatusCodeOfHttp(int http_status) {
  for (const CodePair& pair : kCodes) {
    if (pair.http == http_status) return pair.code;
  }
  switch (http_status / 100) {
    case 2:
      return absl::StatusCode::kOk;
    case 4:
      return absl::StatusCode::kInvalidArgument;
    case 5:
      return absl::StatusCode::kInternal;
    default:
      return absl::StatusCode::kUnknown;
  }
}

HttpResponse JsonError(int http_status, absl::string_view message) {
  return JsonError(message, Issues(), http_status);
}

HttpResponse JsonError(const absl::Status& status) {
  return JsonError(HttpStatusOf(status.code()), status.message());
}

HttpResponse JsonError(absl::string_view message, const Issues& issues, int http_status) {
  HttpResponse response = HttpResponse::Json(http_status, "");
  json::Writer json(&response.body);
  json.BeginObject();
  json.Field("error", message);
  if (!issues.empty()) {
    json.Key("issues");
    json.BeginArray();
    for (const Issue& issue : issues) {
      json.BeginObject();
      json.Field("field", issue.field);
      json.Field("message", issue.message);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
  return response;
}

absl::Status StatusOfResponse(const HttpResponse& response) {
  const absl::StatusCode code = StatusCodeOfHttp(response.status);
  if (code == absl::StatusCode::kOk) return absl::OkStatus();
  const absl::StatusOr<json::Document> document = json::Document::Parse(response.body);
  if (document.ok() && document->Root(nullptr).kind() == json::Kind::kObject) {
    const std::optional<absl::string_view> error = document->Root(nullptr).Get("error").String();
    if (error) return absl::Status(code, *error);
  }
  return absl::Status(code,
                      absl::StrCat("HTTP ", response.status, " ", HttpReasonPhrase(response.status),
                                   response.body.empty() ? "" : ": ",
                                   absl::string_view(response.body).substr(0, kMaxQuoted)));
}

}  // namespace podferry
