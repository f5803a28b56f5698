#include "core/store/redis_session.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

using Arguments = RedisClient::Arguments;

absl::Status TakenOver() {
  return absl::FailedPreconditionError(
      "another process has taken over this instance of the Redis store");
}

// `text` as a pattern of HSCAN that matches exactly itself.
std::string EscapePattern(const std::string& text) {
  std::string pattern;
  for (char c : text) {
    if (absl::StrContains("*?[]\\^-", absl::string_view(&c, 1))) pattern.push_back('\\');
    pattern.push_back(c);
  }
  return pattern;
}

}  // namespace

RedisSession::RedisSession(const RedisStoreOptions& options, RedisUrl url)
    : options_(options),
      url_(std::move(url)),
      data_key_(absl::StrCat("podferry:{", options.instance, "}:data")),
      owner_key_(absl::StrCat("podferry:{", options.instance, "}:owner")),
      owner_(NewUuid()) {}

absl::Status RedisSession::Open() {
  PODFERRY_RETURN_IF_ERROR(Connect());
  is_open_ = true;
  return absl::OkStatus();
}

absl::Status RedisSession::Connect() {
  PODFERRY_RETURN_IF_ERROR(lost_);
  if (client_ != nullptr) return absl::OkStatus();
  PODFERRY_ASSIGN_OR_RETURN(client_, RedisClient::Connect(url_, options_.timeout));
  const absl::Status status = TakeOwnership(/*first_time=*/!is_open_);
  if (!status.ok()) client_.reset();
  if (absl::IsFailedPrecondition(status)) lost_ = status;
  return status;
}

absl::Status RedisSession::TakeOwnership(bool first_time) {
  // Twice: two that open at the same moment get in each other's way once.
  for (int attempt = 0; attempt < 10; ++attempt) {
    PODFERRY_RETURN_IF_ERROR(client_->Run(Arguments{"WATCH", owner_key_}).status());
    PODFERRY_ASSIGN_OR_RETURN(RedisReply before, client_->Run(Arguments{"GET", owner_key_}));
    const absl::string_view text = before.text;
    const size_t colon = text.find(':');
    if (!first_time && text.empty()) {
      return absl::FailedPreconditionError("the Redis server has lost its data");
    }
    if (!first_time && (colon == text.npos || text.substr(colon + 1) != owner_)) return TakenOver();
    uint64_t epoch = 0;
    if (!text.empty() && !absl::SimpleAtoi(text.substr(0, colon), &epoch)) {
      return absl::FailedPreconditionError(absl::StrCat(owner_key_, " is not podferry's"));
    }
    const std::string value = absl::StrCat(epoch + 1, ":", owner_);
    PODFERRY_ASSIGN_OR_RETURN(std::vector<RedisReply> replies,
                              client_->Run(std::vector<Arguments>{{"MULTI"},
                                                                  {"SET", owner_key_, value},
                                                                  {"EXEC"},
                                                                  {"WATCH", owner_key_},
                                                                  {"GET", owner_key_}}));
    for (const RedisReply& reply : replies) PODFERRY_RETURN_IF_ERROR(reply.status());
    if (replies[2].kind == RedisReply::Kind::kNil) continue;
    value_ = value;
    return CheckOwner(replies[4]);
  }
  return absl::UnavailableError("too many processes try to take over the Redis store");
}

absl::Status RedisSession::CheckOwner(const RedisReply& owner) {
  return owner.text == value_ ? absl::OkStatus() : TakenOver();
}

absl::StatusOr<std::vector<RedisReply>> RedisSession::Run(const std::vector<Arguments>& commands) {
  PODFERRY_RETURN_IF_ERROR(Connect());
  absl::StatusOr<std::vector<RedisReply>> replies = client_->Run(commands);
  if (!replies.ok()) client_.reset();
  return replies;
}

absl::StatusOr<RedisReply> RedisSession::Run(const Arguments& command) {
  PODFERRY_ASSIGN_OR_RETURN(std::vector<RedisReply> replies, Run(std::vector<Arguments>{command}));
  PODFERRY_RETURN_IF_ERROR(replies[0].status());
  return std::move(replies[0]);
}

absl::Status RedisSession::Write(const std::vector<const Mutation*>& mutations, bool& sent) {
  if (mutations.empty()) return Ping();
  std::vector<Arguments> commands = {{"MULTI"}};
  for (const Mutation* mutation : mutations) {
    if (mutation->kind == Mutation::Kind::kPut) {
      commands.push_back({"HSET", data_key_, mutation->key, mutation->value});
    } else {
      commands.push_back({"HDEL", data_key_, mutation->key});
    }
  }
  const size_t exec = commands.size();
  commands.push_back({"EXEC"});
  // EXEC ends the watch. The next one begins at once, so that a write takes one round trip.
  commands.push_back({"WATCH", owner_key_});
  commands.push_back({"GET", owner_key_});
  if (options_.wait_replicas > 0) {
    commands.push_back({"WAIT", absl::StrCat(options_.wait_replicas),
                        absl::StrCat(absl::ToInt64Milliseconds(options_.timeout / 2))});
  }
  PODFERRY_RETURN_IF_ERROR(Connect());
  sent = true;
  PODFERRY_ASSIGN_OR_RETURN(std::vector<RedisReply> replies, Run(commands));
  // Whatever it says is an answer: it is known what came of the write.
  sent = false;
  PODFERRY_RETURN_IF_ERROR(CheckExec(replies, exec));
  if (options_.wait_replicas > 0 && replies.back().integer < options_.wait_replicas) {
    return absl::UnknownError(absl::StrCat("only ", replies.back().integer, " replicas have it"));
  }
  return absl::OkStatus();
}

absl::Status RedisSession::CheckExec(const std::vector<RedisReply>& replies, size_t exec) {
  // An error while the commands were queued makes EXEC refuse them all; the first says why.
  for (size_t i = 0; i <= exec; ++i) {
    if (absl::Status status = replies[i].status(); !status.ok()) {
      client_.reset();  // So that the next write begins with a proper watch.
      return status;
    }
  }
  if (replies[exec].kind == RedisReply::Kind::kNil) {
    // The watch that came behind is of no use: it began after the takeover.
    client_.reset();
    return TakenOver();
  }
  if (absl::Status status = CheckOwner(replies[exec + 2]); !status.ok()) {
    // This write was still ours; the next one will not be: it has no watch that could fail.
    client_.reset();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RedisSession::Read(const std::string& key) {
  PODFERRY_ASSIGN_OR_RETURN(RedisReply reply, Run(Arguments{"HGET", data_key_, key}));
  if (reply.kind == RedisReply::Kind::kNil) {
    return absl::NotFoundError(absl::StrCat("no key ", key));
  }
  return std::move(reply.text);
}

absl::StatusOr<Store::Entries> RedisSession::Scan(const std::string& prefix) {
  // HSCAN may tell an entry twice.
  std::map<std::string, std::string> found;
  std::string cursor = "0";
  do {
    PODFERRY_ASSIGN_OR_RETURN(RedisReply reply,
                              Run(Arguments{"HSCAN", data_key_, cursor, "MATCH",
                                            EscapePattern(prefix) + "*", "COUNT", "1000"}));
    if (reply.elements.size() != 2) return absl::InternalError("redis: HSCAN said nonsense");
    cursor = reply.elements[0].text;
    std::vector<RedisReply>& pairs = reply.elements[1].elements;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      found[std::move(pairs[i].text)] = std::move(pairs[i + 1].text);
    }
  } while (cursor != "0");
  Store::Entries entries;
  for (auto& [key, value] : found) entries.emplace_back(key, std::move(value));
  return entries;
}

absl::Status RedisSession::Ping() {
  PODFERRY_ASSIGN_OR_RETURN(RedisReply owner, Run(Arguments{"GET", owner_key_}));
  return CheckOwner(owner);
}

}  // namespace podferry
