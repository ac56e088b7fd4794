#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/pipeline/loop_ports.h"
#include "engine/ports/random.h"
#include "engine/ports/state.h"
#include "state/durable_state.h"
#include "tests/simulation/defects.h"
#include "tests/simulation/dice.h"

namespace lethe::simulation {

// What the decisions of a shard depended on besides its records, by offset. A replay is given it.
struct Circumstances {
  TimeMs arrival = kNoTime;
  std::optional<LookupResult> lookup = {};
};
using Journal = std::map<std::int64_t, Circumstances>;

// The real lookup, whose answers are noted in a journal. Borrows the lookup and the journal.
class SpyLookup final : public RequestLookup {
 public:
  SpyLookup(RequestLookup& real, Journal& journal, Defect defect)
      : real_(real), journal_(journal), defect_(defect) {}

  void Begin(const MessageBatch& batch) override { real_.Begin(batch); }
  Status Before(const MessageBatch& batch, std::size_t i,
                std::optional<LookupResult>& result) override {
    LETHE_RETURN_IF_ERROR(real_.Before(batch, i, result));
    journal_[batch.position(i).offset.value] = {batch.position(i).arrival, result};
    return Status::Ok();
  }
  void Again(const MessageBatch& batch, std::size_t i) override { real_.Again(batch, i); }
  bool NotePlacement(const MessageBatch& batch, std::size_t i) override {
    return real_.NotePlacement(batch, i);
  }
  void SetReached(Offset reached) override { real_.SetReached(reached); }
  void Serve() override { real_.Serve(); }
  bool has_answers() const override { return real_.has_answers(); }
  Result<bool> PassOn() override {
    const auto passed_on = real_.PassOn();
    if (!passed_on.ok() || defect_ != Defect::kHidesPassOn) return passed_on;
    return false;
  }
  std::size_t TakeMisplaced() override { return real_.TakeMisplaced(); }

 private:
  RequestLookup& real_;
  Journal& journal_;
  const Defect defect_;
};

// The real state, as a planted defect shows it to the shard. Borrows the state.
class SpyState final : public State {
 public:
  using OnAppend = std::function<void(ChainKind kind, std::string_view bytes)>;
  SpyState(DurableState& real, Defect defect, OnAppend on_append)
      : real_(real), defect_(defect), on_append_(std::move(on_append)) {}
  // Sets the first offset that this process takes.
  void SetBegin(Offset begin) { begin_ = begin; }

  std::optional<LearnedEvent> FindId(const KeyHash& id) const override {
    auto event = real_.FindId(id);
    if (defect_ == Defect::kForgetsDuplicates && event && event->offset < begin_) return {};
    return event;
  }
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override {
    return real_.FindSubject(subject);
  }
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override {
    if (defect_ == Defect::kForgetsRefusals && !refused_.contains({hash.low, hash.high})) return {};
    return real_.FindRefusal(hash);
  }
  bool has_refusals() const override { return real_.has_refusals(); }
  void Prefetch(const KeyHash& id, const std::optional<KeyHash>& subject) const override {
    real_.Prefetch(id, subject);
  }
  void AddEvent(const LearnedEvent& event) override { real_.AddEvent(event); }
  void RemoveEvent(const LearnedEvent& event) override { real_.RemoveEvent(event); }
  void DropBefore(EventIndex index) override { real_.DropBefore(index); }
  void Refuse(const KeyHash& hash, const Refusal& refusal) override {
    refused_.insert({hash.low, hash.high});
    real_.Refuse(hash, refusal);
  }
  void ExpireRefusals(TimeMs now) override { real_.ExpireRefusals(now); }
  void Append(ChainKind kind, std::string_view bytes) override {
    real_.Append(kind, bytes);
    if (defect_ == Defect::kPublishesBeforeDurable) on_append_(kind, bytes);
  }
  bool is_durable() const override { return true; }
  std::optional<std::string> Get(Part part) const override { return real_.Get(part); }
  void Put(Part part, std::string_view bytes) override {
    std::string stored(bytes);
    const bool is_rewind = part == Part::kMode && stored.size() == kRewindPart;
    if (defect_ == Defect::kForgetsReleased && is_rewind) stored.back() = '\0';
    real_.Put(part, stored);
  }
  void Rewrite(Part part, std::string_view bytes) override { real_.Rewrite(part, bytes); }
  void Extend(Part part, std::string_view bytes) override { real_.Extend(part, bytes); }
  Status Erase() override {
    return defect_ == Defect::kErasedTooEarly ? Status::Ok() : real_.Erase();
  }
  Status Commit(bool sync) override {
    return real_.Commit(sync && defect_ != Defect::kReportsDurableTooEarly);
  }

 private:
  // What rewind stores: three numbers, and whether the model may know an event that was deleted.
  static constexpr std::size_t kRewindPart = 3 * 8 + 1;

  DurableState& real_;
  const Defect defect_;
  const OnAppend on_append_;
  Offset begin_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> refused_;  // by this process
};

// A random source like the system's: every call returns other bytes, whatever the stream.
class FreshRandom final : public RandomSource {
 public:
  explicit FreshRandom(std::uint64_t seed) : dice_(seed) {}
  void Fill(const Stream& /*stream*/, std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice_.Next());
  }

 private:
  Dice dice_;
};

// The real seeded random source. The planted defect makes its noise depend on the number of starts.
class SpyRandom final : public RandomSource {
 public:
  SpyRandom(RandomSource& real, Defect defect) : real_(real), defect_(defect) {}
  void NoteStart() { ++starts_; }
  void Fill(const Stream& stream, std::span<std::uint8_t> bytes) override {
    Stream asked = stream;
    if (defect_ == Defect::kDrawsAnew && stream.purpose == Stream::Purpose::kNoise) {
      asked.number += starts_ << 32;
    }
    real_.Fill(asked, bytes);
  }

 private:
  RandomSource& real_;
  const Defect defect_;
  std::uint64_t starts_ = 0;
};

}  // namespace lethe::simulation
