// Whether the memory and the disk of mode passive stay the same on a stream without end: a shard
// with its durable state learns COUNT events, with a deletion every EVERY events, and prints what
// it holds at each power of ten and at the end.
//
//   soak [COUNT [EVERY [RETENTION]]]     RETENTION: auto (default) or all
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/shard/shard.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

constexpr std::int64_t kEventsPerCommit = 4096;
constexpr std::int64_t kDimension = 4;
constexpr std::int64_t kPeople = 1000;

class NoSink final : public Sink {
 public:
  Status Publish(ShardId, ChainKind, std::string_view) override { return Status::Ok(); }
};

void Must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

double MegabytesOf(const std::filesystem::path& folder) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::error_code gone;
    if (!entry.is_regular_file(gone)) continue;
    const auto size = std::filesystem::file_size(entry.path(), gone);
    if (!gone) bytes += static_cast<double>(size);
  }
  return bytes / 1e6;
}

double ResidentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

int Soak(std::int64_t count, std::int64_t every, bool all) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lethe-soak-" + std::to_string(getpid()));
  SodiumHasher hasher;
  SystemRandom random;
  NoSink sink;
  Probe probe;
  Spec spec;
  spec.model.dimension = kDimension;
  spec.forgetting.retention.all = all;
  spec.erase_within_ms = 10'000;
  spec.refuse_late_for_ms = 60'000;
  const auto plan = Plan::Make(spec);
  Must(plan.status());
  auto state_folder = StateFolder::Open(path.string());
  Must(state_folder.status());
  auto folder = ShardFolder::Open(*state_folder.value(), {0}, random, hasher);
  Must(folder.status());
  DurableState& state = folder.value()->state();
  auto shard =
      std::make_unique<Shard>(plan.value(), folder.value()->identity(),
                              ShardPorts{state, state.payloads(), sink, probe, hasher, random});
  Must(shard->Resume());
  const Admission admission = shard->NewAdmission();
  ItemBatch items;
  std::int64_t offset = 0;
  const auto feed = [&](Record& record) {
    record.offset = {offset++};
    record.timestamp = {1'700'000'000'000 + offset};  // a thousand records a second
    const Position position = record.position();
    items.Clear(1);
    items.Admit(admission, 0, record);
    if (shard->IsErasureDue(position)) {
      Must(shard->Commit(true));
      Must(shard->Publish());
      Must(shard->Erase(std::nullopt));
    }
    Must(shard->Process(position, items.item(0)));
    if (shard->has_news() || offset % kEventsPerCommit == 0) {
      Must(shard->Commit());
      Must(shard->Publish());
    }
  };
  std::printf("%12s %10s %8s %8s %12s %8s %8s\n", "learned", "known", "MB", "disk MB", "chain",
              "draws", "CPU s");
  std::int64_t next = 100'000;
  for (std::int64_t i = 0; i < count; ++i) {
    Record record;
    record.event.id = "e" + std::to_string(i);
    record.event.subject = "u" + std::to_string(i % kPeople);
    record.event.x = {0.5 * std::sin(static_cast<double>(i)), 0.3, i % 2 == 0 ? 0.4 : -0.4, 0.5};
    record.event.y = i % 3 == 0 ? 1 : -1;
    feed(record);
    if (i % every == every - 1) {
      Record request;
      request.event.kind = EventKind::kDelete;
      // Every other one is known no more.
      request.event.id = "e" + std::to_string((i / every) % 2 == 0 ? i - 500 : i / 2);
      feed(request);
    }
    if (i + 1 != next && i + 1 != count) continue;
    Must(shard->Commit(true));
    Must(shard->Publish());
    Must(state.WaitForWrites());
    next = next * 10 == i + 1 ? next : (i + 1 == next ? next * 10 : next);
    std::printf("%12lld %10lld %8.1f %8.1f %12lld %8lld %8.1f\n", static_cast<long long>(i + 1),
                static_cast<long long>(i + 1 - shard->unlearner().anchor().value),
                ResidentMegabytes(), MegabytesOf(path),
                static_cast<long long>(shard->chain_entries()),
                static_cast<long long>(shard->counters().draws),
                static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
  shard.reset();
  folder.value().reset();
  state_folder.value().reset();
  std::filesystem::remove_all(path);
  return 0;
}

}  // namespace
}  // namespace lethe

int main(int argc, char** argv) {
  const std::int64_t count = argc > 1 ? std::atoll(argv[1]) : 100'000'000;
  const std::int64_t every = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  return lethe::Soak(count, every, argc > 3 && std::string(argv[3]) == "all");
}
