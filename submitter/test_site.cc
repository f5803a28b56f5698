#include "submitter/test_site.h"

#include "absl/strings/str_cat.h"
#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

template <typename Message, typename Take>
std::unique_ptr<Bus::Subscription> Hear(Bus& bus, const std::string& subject, Take take) {
  return *bus.Subscribe(subject, "", [take](BusMessage message) {
    absl::StatusOr<Message> decoded = wire::Decode<Message>(message.payload);
    ASSERT_THAT(decoded, IsOk());
    take(*std::move(decoded));
  });
}

}  // namespace

TestSite::TestSite(FakeBackend::Options backend) : backend_options_(std::move(backend)) {
  options_.pool = kPool;
  options_.boot_id = "boot-1";
  ears_.push_back(Hear<EventBatch>(*plugin_, subjects_.Events(kPool), [this](EventBatch batch) {
    for (StatusDelta& delta : batch.deltas) deltas.push_back(std::move(delta));
  }));
  ears_.push_back(Hear<ResourceReport>(
      *plugin_, subjects_.Resources(kPool),
      [this](ResourceReport report) { reports.push_back(std::move(report)); }));
  ears_.push_back(Hear<ConfigAnnouncement>(
      *plugin_, subjects_.Config(kPool),
      [this](ConfigAnnouncement config) { configs.push_back(std::move(config)); }));
  loop_.RunUntilIdle();
  Start();
}

void TestSite::Start() {
  control_ = hub_.Connect("submitter");
  bulk_ = hub_.Connect("submitter-bulk");
  store_ = std::make_unique<MemoryStore>(loop_, disk_);
  backend_ = std::make_unique<FakeBackend>(backend_options_, world_, clock_, loop_);
  daemon_ = std::make_unique<Daemon>(options_, BuildConfig(),
                                     Daemon::Parts{.store = *store_,
                                                   .backend = *backend_,
                                                   .control = *control_,
                                                   .bulk = *bulk_,
                                                   .clock = clock_,
                                                   .loop = loop_,
                                                   .metrics = metrics_});
  daemon_->Start([](const absl::Status& status) { EXPECT_THAT(status, IsOk()); });
  loop_.RunUntilIdle();
}

void TestSite::Crash() {
  daemon_.reset();
  backend_.reset();
  store_.reset();
  bulk_.reset();
  control_.reset();
}

void TestSite::Reboot() {
  Crash();
  options_.boot_id = absl::StrCat(options_.boot_id, "+");
}

JobDescription TestSite::Description(absl::string_view uid) const {
  return {.key = Key(uid),
          .pod_namespace = "default",
          .pod_name = absl::StrCat("pod-", uid),
          .pool = kPool,
          .containers = {{.name = "main", .image = "busybox"}},
          .resources = {{"cpu", "500m"}, {"memory", "64Mi"}}};
}

std::string TestSite::ScriptOf(absl::string_view exit_code) {
  return absl::StrCat("#fake exit=", exit_code, " log=hello\n");
}

std::string TestSite::JobSubject(absl::string_view verb, absl::string_view uid) const {
  return subjects_.Job(kPool, submitter().id, verb, Description(uid).SubjectName());
}

std::optional<OfferReply> TestSite::SendOffer(absl::string_view uid, uint32_t round,
                                              const std::string& script, bool inline_script) {
  const Offer offer{.from = plugin,
                    .job = Description(uid),
                    .round = round,
                    .digest = Sha256Hex(script),
                    .size = script.size(),
                    .script = inline_script ? script : ""};
  return Ask<OfferReply>(subjects_.Create(kPool, offer.job.SubjectName()), offer);
}

std::optional<StartReply> TestSite::SendStart(absl::string_view uid, uint32_t round,
                                              const std::string& script) {
  return Ask<StartReply>(
      JobSubject("start", uid),
      podferry::Start{
          .from = plugin, .key = Key(uid), .round = round, .digest = Sha256Hex(script)});
}

std::optional<ReleaseReply> TestSite::SendRelease(absl::string_view uid, uint32_t round) {
  return Ask<ReleaseReply>(JobSubject("release", uid),
                           Release{.from = plugin, .key = Key(uid), .round = round});
}

std::optional<StatusReply> TestSite::AskStatus(absl::string_view uid) {
  return Ask<StatusReply>(JobSubject("status", uid),
                          StatusRequest{.from = plugin, .key = Key(uid)});
}

std::optional<DeleteReply> TestSite::SendDelete(absl::string_view uid, absl::Duration grace) {
  return Ask<DeleteReply>(JobSubject("delete", uid),
                          Delete{.from = plugin, .key = Key(uid), .grace = grace});
}

std::optional<FindReply> TestSite::SendFind(absl::string_view uid, bool forget) {
  return Ask<FindReply>(subjects_.Find(kPool, Description(uid).SubjectName()),
                        Find{.from = plugin, .key = Key(uid), .forget = forget});
}

std::optional<LogReply> TestSite::AskLog(LogRequest request) {
  request.from = plugin;
  return Ask<LogReply>(JobSubject("logs", request.key.uid), request);
}

void TestSite::RunJob(absl::string_view uid, const std::string& script) {
  const std::optional<OfferReply> offer = SendOffer(uid, 1, script);
  ASSERT_TRUE(offer.has_value());
  ASSERT_TRUE(offer->reserved);
  const std::optional<StartReply> start = SendStart(uid, 1, script);
  ASSERT_TRUE(start.has_value());
  ASSERT_TRUE(start->started);
  loop_.Advance(absl::Milliseconds(50));
}

JobStatus TestSite::LastStatus(absl::string_view uid) const {
  for (auto delta = deltas.rbegin(); delta != deltas.rend(); ++delta) {
    if (delta->status.key == Key(uid)) return delta->status;
  }
  return JobStatus();
}

}  // namespace podferry
