// A submitter as the checked model of the protocol has it, over a Bus: for tests of what the plugin
// does when messages are lost, repeated and reordered and processes die. It keeps to every rule of
// a submitter (journal first; a refusal is for ever; a delete leaves a fence) and has a backend
// that may begin what was submitted late, or twice.
//
// What lies in Disk and Backend survives a crash: destroy the submitter and make another one on
// them. Loop thread only.

#ifndef PODFERRY_PLUGIN_TESTING_MODEL_SUBMITTER_H_
#define PODFERRY_PLUGIN_TESTING_MODEL_SUBMITTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/clock.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"

namespace podferry {

// All backends of a test together: counts how often a job's body has run, anywhere.
struct BodyCounter {
  std::map<std::string, int> bodies;  // by UID
};

class ModelSubmitter {
 public:
  struct JobOnDisk {
    JobDescription job;
    uint32_t reserved = 0;  // round; 0: none
    uint32_t refused = 0;   // no round up to this one is ever accepted again
    uint32_t started = 0;   // round; 0: none
    bool tombstone = false;
    JobPhase phase = JobPhase::kSubmitted;
  };
  struct Disk {
    std::string id;
    uint64_t epoch = 0;
    std::map<std::string, uint64_t> plugin_epochs;  // by origin
    std::map<std::string, JobOnDisk> jobs;          // by UID
  };
  struct BackendJob {
    int pending = 0;  // submissions that have not taken effect
    int submissions = 0;
    bool fence = false;  // <sandbox>/started exists
    bool running = false;
    bool ended = false;
  };
  struct Backend {
    std::string id = "backend";
    std::map<std::string, BackendJob> jobs;
  };

  ModelSubmitter(EventLoop& loop, const Clock& clock, std::unique_ptr<Bus> bus, Disk& disk,
                 Backend& backend, BodyCounter& counter, std::string pool);

  // Everything that can happen at the backend, one step of one job at a time.
  std::vector<std::string> jobs() const;
  void SubmitAgain(const std::string& uid);  // after a crash: was it submitted?
  void BackendBegins(const std::string& uid);
  void BackendEnds(const std::string& uid);
  void Lapse(const std::string& uid);

  // All that is pending begins, all that runs ends.
  void RunEverything();

  // What offers are answered with; kUnspecified: they are reserved.
  void RefuseOffers(Refusal refusal) { offer_refusal_ = refusal; }
  // A start of a reserved round is refused for ever.
  void RefuseStarts(Refusal refusal) { start_refusal_ = refusal; }

  void Announce();
  void SayFarewell(Farewell farewell);
  const std::string& id() const { return disk_.id; }
  Bus& bus() { return *bus_; }

  // The log that every container has.
  std::string log = "";
  bool log_ended = false;
  std::vector<LogRequest> log_requests;

 private:
  template <typename Message, typename Reply>
  void Serve(const std::string& subject, const std::string& group,
             Reply (ModelSubmitter::*answer)(const Message&));
  bool Stale(const PluginStamp& from);
  OfferReply OnOffer(const Offer& offer);
  StartReply OnStart(const Start& start);
  ReleaseReply OnRelease(const Release& release);
  DeleteReply OnDelete(const Delete& message);
  StatusReply OnStatusRequest(const StatusRequest& request);
  FindReply OnFind(const Find& find);
  LogReply OnLogs(const LogRequest& request);
  void OnSync(const BusMessage& message);
  void Kill(const std::string& uid);
  void Publish(const std::string& uid);
  JobStatus StatusOf(const std::string& uid) const;
  void Tick();

  SubmitterStamp stamp() const { return {disk_.id, disk_.epoch}; }

  EventLoop& loop_;
  const Clock& clock_;
  std::unique_ptr<Bus> bus_;
  Disk& disk_;
  Backend& backend_;
  BodyCounter& counter_;
  const std::string pool_;
  const wire::Subjects subjects_{"p"};
  uint64_t event_number_ = 0;
  uint64_t report_number_ = 0;
  Refusal offer_refusal_ = Refusal::kUnspecified;
  Refusal start_refusal_ = Refusal::kUnspecified;
  std::vector<std::unique_ptr<Bus::Subscription>> subscriptions_;
  std::unique_ptr<Bus::Handle> connection_;
  Timer timer_;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_TESTING_MODEL_SUBMITTER_H_
