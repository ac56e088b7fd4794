#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "app/pipeline/shard_loop.h"
#include "app/run/live_probe.h"
#include "bench/events.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"
#include "engine/shard/shard.h"
#include "state/shard_folder.h"

namespace lethe {

// A shard with its state on disk, in a folder that goes with it, fed with events that need no
// decoding.
class ShardBed {
 public:
  static constexpr std::int64_t kEventsPerCommit = 4096;  // as the default of a daemon

  // `retention`: of mode rewind, in events; 0: auto.
  ShardBed(const char* mode, std::int64_t dimension, std::int64_t retention = 0)
      : dimension_(dimension),
        folder_path_(std::filesystem::temp_directory_path() /
                     ("lethe-bed-" + std::to_string(getpid()) + "-" + mode + "-" +
                      std::to_string(dimension))) {
    std::filesystem::remove_all(folder_path_);
    Spec spec;
    spec.model.dimension = dimension;
    spec.forgetting.mode = mode;
    spec.forgetting.retention.events = retention;
    plan_ = Plan::Make(spec).value();
    probe_.emplace(*plan_);
    folder_ = StateFolder::Open(folder_path_.string()).value();
    shard_folder_ = ShardFolder::Open(*folder_, {0}, random_, hasher_).value();
    shard_ = std::make_unique<Shard>(
        plan_.value(), shard_folder_->identity(),
        ShardPorts{state(), state().payloads(), sink_, *probe_, hasher_, random_});
    loop_.emplace(ShardLoop::Ports{.shard = *shard_,
                                   .clock = clock_,
                                   .lookup = no_lookup_,
                                   .output = no_output_,
                                   .release = no_release_,
                                   .observer = no_observer_,
                                   .state = &state()},
                  CommitPolicy{.max_records = kEventsPerCommit});
    record_.timestamp = {1};
  }
  ~ShardBed() {
    shard_.reset();
    shard_folder_.reset();
    folder_.reset();
    std::filesystem::remove_all(folder_path_);
  }

  DurableState& state() { return shard_folder_->state(); }
  std::int64_t learned() const { return shard_->counters().learned; }

  void Reserve(std::int64_t events) { state().Reserve(events); }
  Admission NewAdmission() const { return shard_->NewAdmission(); }
  // The loop that a replay and a daemon run, on this shard.
  ShardLoop& loop() { return *loop_; }
  void Take(const Record& record) {
    batch_.admissions().try_emplace({0}, NewAdmission());
    batch_.Clear(1);
    batch_.AddDecoded(record);
    batch_.Admit();
    batch_.AdmitNow(0, batch_.admissions().at({0}));
    Must(loop_->Take(batch_, 0, kNoTime));
    Must(loop_->CommitIfDue(false).status());
  }
  void Commit() { Must(loop_->Commit()); }
  void Flush() {
    Must(shard_folder_->state().WaitForWrites());
    Must(shard_folder_->store().Flush());
  }

  void Learn(std::int64_t count) {
    for (; count > 0; --count) {
      const std::int64_t number = learned();
      MakeEvent(number, dimension_, record_.event);
      record_.event.subject = "user-" + std::to_string(number % 1000);
      ++record_.offset.value;
      Take(record_);
    }
  }
  // As Learn, with so many events in a millisecond of event time.
  void LearnInTime(std::int64_t count, std::int64_t events_per_ms) {
    for (; count > 0; --count) {
      record_.timestamp = {1 + learned() / events_per_ms};
      Learn(1);
    }
  }
  // Bytes of all files of the state.
  std::int64_t DiskBytes() const {
    std::int64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_path_)) {
      std::error_code gone;  // the store removes files in the background
      const auto size = entry.file_size(gone);
      if (!gone) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
  }
  // A request for one event, until it is durable.
  void Delete(std::int64_t number) {
    record_.event.kind = EventKind::kDelete;
    record_.event.id = "e-" + std::to_string(number);
    record_.event.subject.reset();
    ++record_.offset.value;
    Take(record_);
  }

  // Takes an event out of the state as a deletion does, and leaves the model alone.
  void Remove(std::int64_t number) {
    const Pseudonymizer names(hasher_, shard_folder_->identity());
    const auto event = state().FindId(names.Id("e-" + std::to_string(number)));
    if (!event) return;
    state().payloads().Remove(event->index);
    state().RemoveEvent(*event);
  }
  void CommitState() { Must(state().Commit(true)); }
  void Erase() { Must(state().eraser().EraseAll()); }

 private:
  class NoSink final : public Sink {
   public:
    Status Publish(ShardId, ChainKind, std::string_view) override { return Status::Ok(); }
  };

  static void Must(const Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    std::exit(1);
  }

  const std::int64_t dimension_;
  const std::filesystem::path folder_path_;
  SodiumHasher hasher_;
  SystemRandom random_;
  NoSink sink_;
  std::optional<Plan> plan_;
  std::optional<LiveProbe> probe_;
  std::unique_ptr<StateFolder> folder_;
  std::unique_ptr<ShardFolder> shard_folder_;
  std::unique_ptr<Shard> shard_;
  SystemClock clock_;
  RequestLookup no_lookup_;
  LoopOutput no_output_;
  LoopRelease no_release_;
  LoopObserver no_observer_;
  std::optional<ShardLoop> loop_;
  MessageBatch batch_;
  Record record_;
};

}  // namespace lethe
