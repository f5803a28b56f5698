#include "core/store/redis_store.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/store/redis_session.h"
#include "core/store/redis_url.h"

namespace podferry {
namespace {

// One transaction's worth of values: Redis carries it out in one go, and others wait.
constexpr size_t kMaxGroupBytes = 4 << 20;
constexpr int kLongestPause = 20;  // Times `retry`.

// A copy that shares no reference count with `status`, for another thread: TSan does not see those
// of Debian's Abseil.
absl::Status Unshared(const absl::Status& status) {
  return absl::Status(status.code(), status.message());
}

}  // namespace

// The thread and its queue. Answers are given by closures that post to the loop.
class RedisStore::Worker {
 public:
  struct Operation {
    std::vector<Mutation> batch;  // Of a write.
    absl::AnyInvocable<void(absl::Status)> written;
    absl::AnyInvocable<absl::Status(RedisSession&)> query;  // Of a read or scan: an attempt, ...
    absl::AnyInvocable<void(absl::Status)> queried;         // ... and what came of it.
    absl::Time deadline;
  };

  Worker(const RedisStoreOptions& options, RedisUrl url)
      : options_(options), session_(options, std::move(url)) {}

  ~Worker() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Start() {
    std::promise<absl::Status> opened;
    std::future<absl::Status> result = opened.get_future();
    thread_ = std::thread([this, opened = std::move(opened)]() mutable {
      BlockPipeSignal();
      const absl::Status status = session_.Open();
      opened.set_value(status);
      if (status.ok()) Run();
    });
    return result.get();
  }

  void Enqueue(Operation operation) {
    operation.deadline = absl::Now() + options_.timeout;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(operation));
    }
    wake_.notify_one();
  }

  absl::Status status() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return Unshared(status_);
  }

 private:
  // hiredis writes with write(): a broken connection would end a process that does not ignore
  // SIGPIPE.
  static void BlockPipeSignal() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  }

  void Run() {
    while (true) {
      std::deque<Operation> work = WaitForWork();
      if (work.empty()) {
        if (stopping()) return;
        Note(session_.Ping());
      }
      while (!work.empty()) {
        if (work.front().query) {
          RunQuery(std::move(work.front()));
          work.pop_front();
        } else {
          RunWrites(TakeGroup(work));
        }
      }
    }
  }

  std::deque<Operation> WaitForWork() {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait_for(lock, absl::ToChronoNanoseconds(options_.ping),
                   [this] { return stopping_ || !queue_.empty(); });
    return std::exchange(queue_, {});
  }

  static std::vector<Operation> TakeGroup(std::deque<Operation>& work) {
    std::vector<Operation> group;
    size_t bytes = 0;
    while (!work.empty() && !work.front().query && bytes < kMaxGroupBytes) {
      for (const Mutation& mutation : work.front().batch) bytes += mutation.value.size();
      group.push_back(std::move(work.front()));
      work.pop_front();
    }
    return group;
  }

  void RunWrites(std::vector<Operation> group) {
    std::vector<const Mutation*> mutations;
    for (const Operation& operation : group) {
      for (const Mutation& mutation : operation.batch) mutations.push_back(&mutation);
    }
    bool maybe_done = false;
    const absl::Status status = Persist(group.front().deadline, [&] {
      bool sent = false;
      absl::Status result = session_.Write(mutations, sent);
      maybe_done = maybe_done || sent;
      return result;
    });
    // A later attempt that failed does not tell what came of an earlier one.
    const bool unknown = maybe_done && !status.ok() && !absl::IsFailedPrecondition(status);
    for (Operation& operation : group) {
      operation.written(unknown ? absl::UnknownError(status.message()) : Unshared(status));
    }
  }

  void RunQuery(Operation operation) {
    operation.queried(Persist(operation.deadline, [&] { return operation.query(session_); }));
  }

  // Tries until it succeeds, fails for a reason that stays, or time is up.
  template <typename Attempt>
  absl::Status Persist(absl::Time deadline, Attempt attempt) {
    absl::Duration pause = options_.retry;
    while (true) {
      absl::Status status = attempt();
      Note(status);
      if (!absl::IsUnavailable(status)) return status;
      if (absl::Now() + pause >= deadline || !Sleep(pause)) return status;
      pause = std::min(pause * 2, options_.retry * kLongestPause);
    }
  }

  // False if the store is being closed.
  bool Sleep(absl::Duration duration) {
    std::unique_lock<std::mutex> lock(mutex_);
    return !wake_.wait_for(lock, absl::ToChronoNanoseconds(duration), [this] { return stopping_; });
  }

  bool stopping() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return stopping_;
  }

  void Note(const absl::Status& status) {
    std::lock_guard<std::mutex> lock(mutex_);
    // Once taken over, always so.
    if (!absl::IsFailedPrecondition(status_) && !absl::IsNotFound(status)) {
      status_ = Unshared(status);
    }
  }

  const RedisStoreOptions options_;
  RedisSession session_;  // The thread's, once it runs.

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Operation> queue_;  // These are guarded by mutex_.
  bool stopping_ = false;
  absl::Status status_;

  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<RedisStore>> RedisStore::Open(const RedisStoreOptions& options,
                                                             EventLoop& loop) {
  PODFERRY_ASSIGN_OR_RETURN(RedisUrl url, ParseRedisUrl(options.url));
  auto worker = std::make_unique<Worker>(options, std::move(url));
  PODFERRY_RETURN_IF_ERROR(worker->Start());
  return std::unique_ptr<RedisStore>(new RedisStore(loop, std::move(worker)));
}

RedisStore::RedisStore(EventLoop& loop, std::unique_ptr<Worker> worker)
    : loop_(loop), worker_(std::move(worker)) {}

RedisStore::~RedisStore() {
  *alive_ = false;
  worker_.reset();
}

void RedisStore::Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) {
  auto answer = [this, alive = alive_, done = std::move(done)](absl::Status status) mutable {
    loop_.Post(
        [alive = std::move(alive), done = std::move(done), status = std::move(status)]() mutable {
          if (*alive) done(status);
        });
  };
  if (absl::Status status = CheckBatch(batch); !status.ok()) return answer(std::move(status));
  Worker::Operation operation;
  operation.batch = std::move(batch);
  operation.written = std::move(answer);
  worker_->Enqueue(std::move(operation));
}

void RedisStore::Read(std::string key, absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) {
  auto value = std::make_shared<std::string>();
  Worker::Operation operation;
  operation.query = [key = std::move(key), value](RedisSession& session) -> absl::Status {
    PODFERRY_ASSIGN_OR_RETURN(*value, session.Read(key));
    return absl::OkStatus();
  };
  operation.queried = [this, alive = alive_, value,
                       done = std::move(done)](absl::Status status) mutable {
    loop_.Post([alive = std::move(alive), value, done = std::move(done),
                status = std::move(status)]() mutable {
      if (!*alive) return;
      if (status.ok()) {
        done(std::move(*value));
      } else {
        done(status);
      }
    });
  };
  worker_->Enqueue(std::move(operation));
}

void RedisStore::Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) {
  auto entries = std::make_shared<Entries>();
  Worker::Operation operation;
  operation.query = [prefix = std::move(prefix), entries](RedisSession& session) -> absl::Status {
    PODFERRY_ASSIGN_OR_RETURN(*entries, session.Scan(prefix));
    return absl::OkStatus();
  };
  operation.queried = [this, alive = alive_, entries,
                       done = std::move(done)](absl::Status status) mutable {
    loop_.Post([alive = std::move(alive), entries, done = std::move(done),
                status = std::move(status)]() mutable {
      if (!*alive) return;
      if (status.ok()) {
        done(std::move(*entries));
      } else {
        done(status);
      }
    });
  };
  worker_->Enqueue(std::move(operation));
}

StoreHealth RedisStore::health() const {
  StoreHealth health;
  if (absl::Status status = worker_->status(); !status.ok()) {
    health.ready = false;
    health.reason = std::string(status.message());
  }
  return health;
}

}  // namespace podferry
