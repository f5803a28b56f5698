#include "core/store/redis_client.h"

#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

RedisReply Convert(const redisReply& reply) {
  RedisReply result;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      result.kind = RedisReply::Kind::kText;
      result.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_ERROR:
      result.kind = RedisReply::Kind::kError;
      result.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      result.kind = RedisReply::Kind::kInteger;
      result.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      result.kind = RedisReply::Kind::kArray;
      for (size_t i = 0; i < reply.elements; ++i) {
        result.elements.push_back(Convert(*reply.element[i]));
      }
      break;
    default:
      break;  // kNil.
  }
  return result;
}

}  // namespace

absl::Status RedisReply::status() const {
  if (kind != Kind::kError) return absl::OkStatus();
  const std::string message = absl::StrCat("redis: ", text);
  const absl::string_view code = absl::string_view(text).substr(0, text.find(' '));
  if (code == "OOM") return absl::ResourceExhaustedError(message);
  for (absl::string_view denied : {"NOAUTH", "NOPERM", "WRONGPASS"}) {
    if (code == denied) return absl::PermissionDeniedError(message);
  }
  if (absl::StrContains(text, "invalid password")) return absl::PermissionDeniedError(message);
  for (absl::string_view later : {"LOADING", "READONLY", "MISCONF", "MASTERDOWN", "NOREPLICAS",
                                  "BUSY", "CLUSTERDOWN", "TRYAGAIN"}) {
    if (code == later) return absl::UnavailableError(message);
  }
  return absl::InternalError(message);
}

absl::StatusOr<std::unique_ptr<RedisClient>> RedisClient::Connect(const RedisUrl& url,
                                                                  absl::Duration timeout) {
  redisContext* context =
      url.unix_path.empty()
          ? redisConnectWithTimeout(url.host.c_str(), url.port, absl::ToTimeval(timeout))
          : redisConnectUnixWithTimeout(url.unix_path.c_str(), absl::ToTimeval(timeout));
  if (context == nullptr) return absl::UnavailableError("out of memory");
  auto client = std::unique_ptr<RedisClient>(new RedisClient(context));
  if (context->err != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot reach ", url.ToString(), ": ", context->errstr));
  }
  redisSetTimeout(context, absl::ToTimeval(timeout));
  PODFERRY_RETURN_IF_ERROR(client->LogIn(url));
  return client;
}

RedisClient::~RedisClient() { redisFree(context_); }

absl::Status RedisClient::LogIn(const RedisUrl& url) {
  if (!url.password.empty()) {
    Arguments command = {"AUTH"};
    if (!url.user.empty()) command.push_back(url.user);
    command.push_back(url.password);
    PODFERRY_RETURN_IF_ERROR(Run(command).status());
  }
  if (url.db != 0) PODFERRY_RETURN_IF_ERROR(Run({"SELECT", absl::StrCat(url.db)}).status());
  // A server that still loads its data, or wants a password, says so now.
  return Run(Arguments{"PING"}).status();
}

absl::Status RedisClient::Broken() const {
  return absl::UnavailableError(absl::StrCat("the connection to Redis broke: ", context_->errstr));
}

absl::StatusOr<std::vector<RedisReply>> RedisClient::Run(const std::vector<Arguments>& commands) {
  for (const Arguments& command : commands) {
    std::vector<const char*> data;
    std::vector<size_t> sizes;
    for (const std::string& argument : command) {
      data.push_back(argument.data());
      sizes.push_back(argument.size());
    }
    if (redisAppendCommandArgv(context_, static_cast<int>(command.size()), data.data(),
                               sizes.data()) != REDIS_OK) {
      return Broken();
    }
  }
  std::vector<RedisReply> replies;
  for (size_t i = 0; i < commands.size(); ++i) {
    void* reply = nullptr;
    if (redisGetReply(context_, &reply) != REDIS_OK || reply == nullptr) return Broken();
    replies.push_back(Convert(*static_cast<redisReply*>(reply)));
    freeReplyObject(reply);
  }
  return replies;
}

absl::StatusOr<RedisReply> RedisClient::Run(const Arguments& command) {
  PODFERRY_ASSIGN_OR_RETURN(std::vector<RedisReply> replies, Run(std::vector<Arguments>{command}));
  PODFERRY_RETURN_IF_ERROR(replies[0].status());
  return std::move(replies[0]);
}

}  // namespace podferry
