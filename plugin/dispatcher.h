// Brings the jobs to their pools, and the deletes after them: sends each job's next step
// (dispatch_state.h), journals what the answers mean, sends again what was not answered.
//
// Owned by the daemon; event loop's thread only. What must be durable before a message goes out is:
// a job is busy meanwhile (job_table.h), so that every decision sees only what is on the disk.
// Offers are throttled per pool (offer_queue.h), everything else by one queue of retries.

#ifndef PODFERRY_PLUGIN_DISPATCHER_H_
#define PODFERRY_PLUGIN_DISPATCHER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "plugin/bundle_maker.h"
#include "plugin/job_table.h"
#include "plugin/offer_queue.h"
#include "plugin/pool_directory.h"
#include "plugin/retry_queue.h"

namespace podferry {

// An annotation we add for submitters: a job from the command line is one after a lost journal too.
inline constexpr char kSourceAnnotation[] = "podferry.io/source";

struct DispatcherOptions {
  bool paused = false;  // nothing is offered
  absl::Duration offer_timeout = absl::Seconds(5);
  // How long reservations are still heard of after that: as long as they last.
  absl::Duration reservation_time = absl::Seconds(60);
  absl::Duration start_timeout = absl::Seconds(5);
  absl::Duration delete_timeout = absl::Seconds(10);
  absl::Duration find_timeout = absl::Seconds(3);
};

// Told of what happens, for metrics.
class DispatchObserver {
 public:
  virtual ~DispatchObserver() = default;
  virtual void OnOffered() {}
  virtual void OnReserved() {}
  virtual void OnRefused() {}
  virtual void OnStarted(absl::Duration /*since_create*/) {}
  virtual void OnRetried(Step) {}
};

class Dispatcher {
 public:
  Dispatcher(EventLoop& loop, const Clock& clock, Bus& bus, JobTable& table,
             PoolDirectory& directory, BundleMaker& bundles, wire::Subjects subjects,
             PluginStamp stamp, DispatchObserver& observer, DispatcherOptions options);

  // Takes up every job of the table. Once, after it is loaded.
  void Start();

  // Sees to what is next for the job, if anything is. Harmless at any time.
  void Advance(Job& job);

  // An answer or event for the job has been judged: journals and does what follows.
  void Apply(Job& job, Outcome outcome);

  // The job is deleted. `done` once that is durable, or at once where it has been before.
  void Delete(Job& job, absl::Duration grace, absl::string_view why,
              absl::AnyInvocable<void()> done);

  // Waiting jobs of the pool may go on: its BuildConfig came, it is heard of again.
  void OnPoolChanged(absl::string_view pool);
  // A submitter is back or new: what waits for it is sent at once.
  void OnRevived(absl::string_view pool, absl::string_view submitter);

  // From the feed of events and snapshots.
  void OnStatus(absl::string_view pool, const SubmitterStamp& by, uint64_t number,
                const JobStatus& status);
  void OnSnapshotJob(absl::string_view pool, const SubmitterStamp& by, uint64_t number,
                     const JobDescription& job, const JobStatus& status);
  // The whole snapshot has been gone through; these jobs of ours are in it.
  void OnSnapshotDone(absl::string_view pool, const SubmitterStamp& by,
                      const absl::flat_hash_set<std::string>& uids);

  // Its owner is silent: another submitter of the same backend may have it.
  void Seek(Job& job);

  // Told of every submitter that has answered: it lives. May call OnRevived.
  using HeardWatcher = absl::AnyInvocable<void(const std::string& pool, const SubmitterStamp& by)>;
  void WatchHeard(HeardWatcher watcher) { heard_ = std::move(watcher); }

  // A newer plugin of the same origin has spoken: nothing is sent any more.
  bool fenced() const { return fenced_; }

  // Why a queued job waits, for its status. Changes only when wait_version() does, or the job.
  PoolDirectory::WaitReason Waiting(const Job& job) const;
  uint64_t wait_version() const { return connection_version_ + directory_.version(); }

  size_t queued(absl::string_view pool) const;
  size_t retries_waiting() const { return retries_.waiting(); }

 private:
  struct PoolOffers {
    OfferQueue queue;
    Timer timer;
    absl::Duration timer_at = absl::InfiniteDuration();
    absl::Duration asked_at = absl::ZeroDuration();  // to announce itself
  };
  // An offer whose answers are listened to.
  struct SentOffer {
    std::string uid;
    uint32_t generation = 0;
    bool answered = false;
    bool given_up = false;  // the next attempt is under way
    std::unique_ptr<Bus::Handle> answers;
    Timer timer;
  };
  enum class SlotEnd { kSucceeded, kFailed, kDropped };

  // What happens around every answer.
  void Settle(Job& job, uint32_t generation, bool answered);
  void ApplyAnswer(Job& job, Outcome outcome, uint32_t generation);
  void Again(Job& job, bool answered);
  void Fence();
  void Heard(const std::string& pool, const SubmitterStamp& by);

  // Asks all submitters of the pool; every answer is judged as it comes, then `done` is called.
  void FindEverywhere(const JobDescription& job, bool forget,
                      absl::AnyInvocable<void(const FindReply&)> each,
                      absl::AnyInvocable<void()> done);
  void OnConnection(bool connected);
  void RetryNow(Job& job);
  void RunStep(const std::string& uid);
  void SendStart(Job& job, bool from_retries);
  void SendDelete(Job& job);
  void SendForget(Job& job);
  void SendRelease(const Job& job, const Outcome::Release& release);
  void BroadcastForget(const Job& job);
  void CheckMissing(Job& job, const SubmitterStamp& by);
  void Recover(const JobDescription& job, const SubmitterStamp& by, absl::string_view backend_id,
               uint64_t number, const JobStatus& status);
  template <typename Reply, typename Judge>
  void Ask(Job& job, absl::string_view verb, std::string payload, absl::Duration timeout,
           bool from_retries, Judge judge);

  // Offers (dispatcher_offers.cc).
  void Enqueue(const Job& job);
  void Pump(const std::string& pool);
  void AskForAnnouncements(const std::string& pool, PoolOffers& offers);
  void ArmPump(const std::string& pool, PoolOffers& offers);
  void BeginOffer(const std::string& pool, const std::string& uid);
  void OnTranslated(const std::string& uid, uint32_t generation,
                    absl::StatusOr<Translation> translation);
  void OnLoaded(const std::string& uid, uint32_t generation, absl::StatusOr<std::string> script);
  void SendOffer(Job& job, std::string script);
  void OnOfferAnswer(uint64_t offer, absl::string_view payload);
  void OnOfferTimer(uint64_t offer);
  void OnOfferDone(uint64_t offer);
  void GiveUpOffer(SentOffer& offer);
  void EndSlot(const std::string& uid, SlotEnd end);

  EventLoop& loop_;
  const Clock& clock_;
  Bus& bus_;
  JobTable& table_;
  PoolDirectory& directory_;
  BundleMaker& bundles_;
  const wire::Subjects subjects_;
  const PluginStamp stamp_;
  DispatchObserver& observer_;
  const DispatcherOptions options_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

  RetryQueue retries_;
  std::map<std::string, PoolOffers> pools_;
  absl::flat_hash_map<std::string, std::string> slots_;  // uid -> pool, of what is under way
  absl::flat_hash_map<uint64_t, SentOffer> offers_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Bus::Handle>> finds_;
  uint64_t next_id_ = 1;
  uint64_t connection_version_ = 0;
  bool fenced_ = false;
  HeardWatcher heard_;
  std::unique_ptr<Bus::Handle> connection_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_DISPATCHER_H_
