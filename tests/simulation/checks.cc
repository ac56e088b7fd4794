#include "tests/simulation/checks.h"

#include <charconv>
#include <cstring>

#include "state/format/keys.h"

namespace lethe::simulation {
namespace {

// The places of the forgotten events that a receipt lists.
struct Forgotten {
  std::int64_t offset = 0;
  std::int64_t index = 0;
};

std::vector<Forgotten> ForgottenIn(std::string_view receipt) {
  std::vector<Forgotten> all;
  constexpr std::string_view kBegin = R"("learned":[)";
  std::size_t at = receipt.find(kBegin);
  if (at == std::string_view::npos) return all;
  std::string_view list = receipt.substr(at + kBegin.size());
  list = list.substr(0, list.find(']'));
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find('}'));
    all.push_back({NumberAfter(one, R"("offset":)"), NumberAfter(one, R"("index":)")});
    list.remove_prefix(std::min(list.size(), one.size() + 2));
  }
  return all;
}

const SourceRecord* RecordAt(const Broker& broker, int shard, std::int64_t offset) {
  for (const SourceRecord& record : broker.records(shard)) {
    if (record.offset.value == offset) return &record;
  }
  return nullptr;
}

bool CanLearn(const Message& message) {
  return message.type == EventType::kLearn || message.type == EventType::kUpdate;
}

}  // namespace

std::string Bits(const Vector& model) {
  std::string bits(static_cast<std::size_t>(model.size()) * sizeof(double), '\0');
  std::memcpy(bits.data(), model.data(), bits.size());
  return bits;
}

std::int64_t NumberAfter(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  std::int64_t number = -1;
  if (at == std::string_view::npos) return number;
  std::from_chars(json.data() + at + key.size(), json.data() + json.size(), number);
  return number;
}

std::string TextAfter(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = json.substr(at + key.size());
  return std::string(rest.substr(0, rest.find('"')));
}

Checks::Checks(const Setup& setup, Defect defect, const Hasher& hasher)
    : setup_(setup), hasher_(hasher) {
  for (int i = 0; i < setup.partitions; ++i) {
    shards_.push_back(std::make_unique<ShardFacts>(defect));
  }
}

void Checks::Fail(const std::string& rule, int shard, const std::string& detail) {
  throw Violation{rule, "shard " + std::to_string(shard) + ": " + detail};
}

void Checks::OnArrival(const Outgoing& message) {
  ShardFacts& facts = of(message.shard);
  switch (message.topic) {
    case Outgoing::Topic::kSource: break;
    case Outgoing::Topic::kDeadLetters: facts.dead_letters.insert(message.number); break;
    case Outgoing::Topic::kModels:
      facts.model_sent = std::max(facts.model_sent, message.number);
      break;
    case Outgoing::Topic::kCleanFrom:
      facts.clean_from = std::max(facts.clean_from, message.number);
      break;
    case Outgoing::Topic::kMarks: facts.mark = std::max(facts.mark, message.number); break;
    case Outgoing::Topic::kReceipts: {
      const auto [entry, is_new] = facts.chain.emplace(message.number, message.bytes);
      facts.last_entry = message.number;
      if (!is_new && entry->second != message.bytes) {
        Fail("one entry, one content", message.shard,
             "entry " + std::to_string(message.number) + " was published as\n" + entry->second +
                 "\nand as\n" + message.bytes);
      }
      break;
    }
  }
}

void Checks::OnPublish(int shard, std::int64_t entry, ChainKind kind, std::string_view bytes,
                       const Broker& broker) {
  const auto stored =
      of(shard).disk.Synced(Family::kChain, NumberKey(static_cast<std::uint64_t>(entry)));
  const std::string expected = (kind == ChainKind::kReceipt ? "r" : "n") + std::string(bytes);
  if (!stored || *stored != expected) {
    Fail("durable before published", shard,
         "entry " + std::to_string(entry) + " could still be lost: " + std::string(bytes));
  }
  if (kind == ChainKind::kReceipt) {
    CheckReceipt(shard, bytes);
  } else if (TextAfter(bytes, R"("status":")") == "erased") {
    CheckErased(shard, bytes, broker);
  }
}

void Checks::CheckReceipt(int shard, std::string_view bytes) {
  ShardFacts& facts = of(shard);
  facts.receipts[TextAfter(bytes, R"("receipt":")")] = bytes;
  const std::int64_t version = NumberAfter(bytes, R"("model_version":)");
  const auto says = [&] { return " before receipt " + std::string(bytes); };
  if (facts.shown < version) {
    Fail("model before receipt", shard,
         "version " + std::to_string(facts.shown) + " is shown" + says());
  }
  if (TextAfter(bytes, R"("outcome":")") != "forgotten") return;
  if (facts.model_sent < version || facts.clean_from < version) {
    Fail("model before receipt", shard, "the models topic is behind" + says());
  }
  for (const Forgotten& event : ForgottenIn(bytes)) {
    for (const Snapshot& snapshot : facts.snapshots) {
      if (snapshot.version < version && snapshot.steps > event.index) {
        Fail("no snapshot knows a forgotten event", shard,
             "version " + std::to_string(snapshot.version) + says());
      }
    }
  }
}

void Checks::CheckErased(int shard, std::string_view bytes, const Broker& broker) {
  const ShardFacts& facts = of(shard);
  if (bytes.find(R"("receipt":null)") != std::string_view::npos) return;  // of expired events
  const auto receipt = facts.receipts.find(TextAfter(bytes, R"("receipt":")"));
  if (receipt == facts.receipts.end()) {
    Fail("receipt before notice", shard, "no receipt for " + std::string(bytes));
  }
  const Pseudonymizer names(hasher_, facts.identity);
  for (const Forgotten& event : ForgottenIn(receipt->second)) {
    const SourceRecord* record = RecordAt(broker, shard, event.offset);
    if (record == nullptr || !record->message.id) {
      Fail("a receipt lists learned events", shard, receipt->second);
    }
    // Another version of the event may rightly be stored.
    int versions = 0;
    for (const SourceRecord& other : broker.records(shard)) {
      if (CanLearn(other.message) && other.message.id == record->message.id) ++versions;
    }
    if (versions > 1) continue;
    const KeyHash name = names.Id(*record->message.id);
    const std::string_view stored(reinterpret_cast<const char*>(&name), sizeof(std::uint64_t));
    if (facts.disk.Holds(stored)) {
      Fail("erased before the notice", shard,
           "offset " + std::to_string(event.offset) + " is on disk at " + std::string(bytes));
    }
  }
}

void Checks::OnRelease(const Shard& shard) {
  const int id = static_cast<int>(shard.id().value);
  ShardFacts& facts = of(id);
  const std::int64_t version = shard.model_version().value;
  const std::string bits = Bits(shard.unlearner().model());
  const auto [before, is_new] = facts.released.emplace(version, bits);
  if (!is_new && before->second != bits) {
    Fail("one version, one model", id, "version " + std::to_string(version));
  }
  facts.newest = std::max(facts.newest, version);
  if (shard.draws_while_learning() && facts.mark < version) {
    Fail("marked before released", id, "version " + std::to_string(version));
  }
}

void Checks::OnCommit(const Shard& shard, const Broker& broker, bool is_passing_on) {
  const int id = static_cast<int>(shard.id().value);
  if (is_passing_on) {
    Fail("delivered before committed", id,
         "a request for another shard is on its way at offset " +
             std::to_string(shard.next().value));
  }
  const ShardFacts& facts = of(id);
  for (const SourceRecord& record : broker.records(id)) {
    if (record.offset >= shard.next()) break;
    if (record.message.type != EventType::kBad) continue;
    if (facts.dead_letters.contains(record.offset.value)) continue;
    Fail("delivered before committed", id,
         "no dead letter of offset " + std::to_string(record.offset.value) + " at offset " +
             std::to_string(shard.next().value));
  }
}

std::int64_t Checks::OnStart(const Shard& shard, const DurableState& state) {
  const int id = static_cast<int>(shard.id().value);
  ShardFacts& facts = of(id);
  facts.shown = -1;
  if (shard.draws_while_learning() && facts.mark > shard.model_version().value) {
    Fail("no old copy", id, "version " + std::to_string(facts.mark) + " was released");
  }
  if (facts.newest > shard.model_version().value) {
    Fail("no old copy", id,
         "version " + std::to_string(facts.newest) +
             " was released, and a crash of the process took it");
  }
  const std::int64_t last = facts.last_entry;
  if (last >= static_cast<std::int64_t>(state.chain_entries())) {
    Fail("no old copy", id,
         "entry " + std::to_string(last) + " was published, the state has " +
             std::to_string(state.chain_entries()));
  }
  return last + 1;
}

void Checks::OnStep(const Shard& shard, const Broker& broker) const {
  const int id = static_cast<int>(shard.id().value);
  std::int64_t before = 0;
  for (const SourceRecord& record : broker.records(id)) before += record.offset < shard.next();
  if (before != shard.counters().records) {
    Fail("every record once", id,
         std::to_string(shard.counters().records) + " records were taken of the " +
             std::to_string(before) + " before offset " + std::to_string(shard.next().value));
  }
}

}  // namespace lethe::simulation
