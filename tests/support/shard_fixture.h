#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/fakes.h"
#include "tests/support/passive_spec.h"
#include "tests/support/record_feeder.h"

namespace lethe::testing {

// A shard on fakes, with short functions to feed it. It has two features.
class ShardFixture : public ::testing::Test {
 protected:
  ShardFixture() {
    spec.model.dimension = 2;
    spec.noise.source = NoiseKind::kSeeded;
  }

  void Start() {
    auto plan = Plan::Make(spec);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    random = std::make_unique<SeededRandom>(spec.noise.seed);
    shard = std::make_unique<Shard>(plan.value(), ShardIdentity::New({0}, *random),
                                    ShardPorts{state, payloads, sink, probe, hasher, *random});
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
  }

  // The next record goes to a new shard with an empty state.
  void StartAnew() {
    shard.reset();
    state = FaultyState();
  }

  Record Make(EventKind kind, std::optional<std::string> id, std::optional<std::string> subject) {
    Record record;
    record.offset = {offset++};
    record.event.kind = kind;
    record.event.id = std::move(id);
    record.event.subject = std::move(subject);
    record.event.x = {0.6, -0.3};
    record.event.y = 1;
    return record;
  }

  Status Feed(const Record& record) {
    if (!shard) Start();
    LETHE_RETURN_IF_ERROR(runner->Process(record));
    return shard->has_news() ? runner->Commit() : Status::Ok();
  }
  void Learn(std::optional<std::string> id, std::optional<std::string> subject = {}) {
    ASSERT_TRUE(Feed(Make(EventKind::kLearn, std::move(id), std::move(subject))).ok());
  }
  void Delete(std::optional<std::string> id, std::optional<std::string> subject = {}) {
    ASSERT_TRUE(Feed(Make(EventKind::kDelete, std::move(id), std::move(subject))).ok());
  }
  void Update(const std::string& id, std::optional<std::string> subject = {}) {
    ASSERT_TRUE(Feed(Make(EventKind::kUpdate, id, std::move(subject))).ok());
  }

  // A string, number or nested value ("effective.index") of the k-th published receipt, as text.
  std::string Receipt(std::size_t k, const std::string& path) {
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    const auto error = parser.parse(sink.published.at(k).bytes).at_pointer("/" + path).get(element);
    if (error != simdjson::SUCCESS) return "<missing>";
    std::string_view text;
    if (element.get(text) == simdjson::SUCCESS) return std::string(text);
    return simdjson::minify(element);
  }
  std::vector<std::string> Outcomes() {
    std::vector<std::string> outcomes;
    for (std::size_t k = 0; k < sink.published.size(); ++k)
      outcomes.push_back(Receipt(k, "outcome"));
    return outcomes;
  }

  Spec spec = PassiveSpec();
  FaultyState state;
  MemoryPayloads payloads;
  RecordingSink sink;
  CountingProbe probe;
  SodiumHasher hasher;
  std::unique_ptr<SeededRandom> random;
  std::unique_ptr<Shard> shard;
  RecordingHooks hooks;
  std::unique_ptr<RecordFeeder> runner;
  std::int64_t offset = 0;
};

}  // namespace lethe::testing
