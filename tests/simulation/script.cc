#include "tests/simulation/script.h"

#include <algorithm>
#include <sstream>

#include "connectors/kafka/partitioner.h"
#include "tests/simulation/dice.h"

namespace lethe::simulation {
namespace {

constexpr const char* kPartitioners[] = {"murmur2", "consistent", "fnv1a"};
constexpr int kSubjects = 6;
constexpr int kIds = 36;

int PlaceOf(const std::string& key, int rule, int partitions) {
  return *Partitioner::FromName(kPartitioners[rule])->Of(key, partitions);
}

Setup MakeSetup(Dice& dice) {
  Setup setup;
  setup.partitions = static_cast<int>(dice.Between(2, 5));
  setup.processes = dice.Percent(35) ? 2 : 1;
  Spec& spec = setup.spec;
  spec.model.dimension = 2;
  const std::int64_t mode = dice.Below(10);
  spec.forgetting.mode = mode < 1   ? "none"
                         : mode < 3 ? "retrain"
                         : mode < 5 ? "rewind"
                         : mode < 9 ? "passive"
                                    : "noisy";
  if (spec.forgetting.mode == "rewind") {
    spec.forgetting.retention.events = dice.Between(12, 60);
    // A window of at least the longest batch window.
    if (dice.Percent(40)) spec.forgetting.retention = {.time_ms = dice.Between(40, 200) * 1000};
  }
  setup.is_repeatable = mode < 7;
  spec.noise.source = setup.is_repeatable ? NoiseKind::kSeeded : NoiseKind::kSystem;
  if (dice.Percent(35)) spec.forgetting.guarantee = Guarantee::kPerRequest;
  if (dice.Percent(25)) spec.forgetting.batch_window.event_time_ms = dice.Between(1, 20) * 1000;
  if (dice.Percent(10)) spec.forgetting.batch_window.events = dice.Between(1, 6);
  if (dice.Percent(20)) spec.forgetting.deadline.event_time_ms = dice.Between(1, 40) * 1000;
  spec.erase_within_ms = dice.Between(2, 120) * 1000;
  spec.refuse_late_for_ms = dice.Percent(30) ? dice.Between(10, 600) * 1000 : 8LL * 86'400'000;
  setup.commit_records = dice.Between(1, 20);
  setup.commit_every_ms = dice.Between(10, 3000);
  setup.models_every_ms = dice.Between(100, 10'000);
  setup.snapshot_every = dice.Between(1, 8);
  setup.gaps = dice.Percent(30);
  return setup;
}

// Rewinds of the small windows here take as long as those of large ones: from nothing to minutes.
RewindPolicy MakeRewinds(std::uint64_t seed) {
  Dice dice(~seed);
  RewindPolicy rewinds = RewindPolicy::Live();
  for (std::int64_t i = dice.Below(8); i > 0; --i) rewinds.slowness *= 10;
  rewinds.longest_ns = dice.Between(1, 400) * 1'000'000;
  return rewinds;
}

// Ids have a subject and a home partition, as long as no update moves them.
class Stream {
 public:
  Stream(const Setup& setup, Dice& dice) : setup_(setup), dice_(dice) {
    for (int i = 0; i < kIds; ++i) {
      const std::int64_t how = dice.Below(100);
      const bool is_alone = setup.processes == 1;
      if (how < 8) {
        homes_.push_back({.key = {}, .partition = AnyPartition()});
      } else if (how < 14 && is_alone) {  // no known partitioner
        homes_.push_back({.key = SubjectOf(i), .partition = AnyPartition()});
      } else {
        homes_.push_back(
            {.key = SubjectOf(i),
             .partition = PlaceOf(SubjectOf(i), how < 30 ? how % 3 : 0, setup.partitions)});
      }
    }
  }

  Message Next() {
    const std::int64_t roll = dice_.Below(100);
    Message message;
    if (roll < 58) {
      message = Learn();
    } else if (roll < 70) {
      message = DeleteById();
    } else if (roll < 80) {
      message = DeleteBySubject();
    } else if (roll < 92) {
      message = Update();
    } else {
      message = Bad();
    }
    if (dice_.Percent(20)) message.delay_ms = dice_.Between(0, 30'000);
    if (dice_.Percent(4)) message.delay_ms = -dice_.Between(1, 3'600'000);
    if (dice_.Percent(8)) message.copies = 2;
    return message;
  }

 private:
  struct Home {
    std::optional<std::string> key;
    int partition = 0;
  };

  static std::string SubjectOf(int id) { return "s" + std::to_string(id % kSubjects); }
  int AnyPartition() { return static_cast<int>(dice_.Below(setup_.partitions)); }
  std::string Features() {
    const auto number = [this] {
      return std::to_string(static_cast<double>(dice_.Between(-700'000, 700'000)) / 1e6);
    };
    return R"("x":[)" + number() + "," + number() + R"(],"y":)" + (dice_.Percent(50) ? "1" : "-1");
  }
  Message Named(EventType type, int id) {
    const Home& home = homes_[static_cast<std::size_t>(id)];
    return {.type = type,
            .partition = home.partition,
            .key = home.key,
            .id = "e" + std::to_string(id),
            .subject = home.key,
            .value = {}};
  }

  Message Learn() {
    Message message = Named(EventType::kLearn, static_cast<int>(dice_.Below(kIds)));
    message.value = R"({"type":"learn","id":")" + *message.id + R"(",)" + Features() + "}";
    return message;
  }
  Message Update() {
    const int id = static_cast<int>(dice_.Below(kIds));
    Message message = Named(EventType::kUpdate, id);
    if (dice_.Percent(50)) {
      const int place =
          message.key ? PlaceOf(*message.key, static_cast<int>(dice_.Below(3)), setup_.partitions)
                      : AnyPartition();
      // Shards of other processes are not asked where the request is found at home.
      if (setup_.process_of(place) == setup_.process_of(message.partition)) {
        message.partition = place;
      }
    }
    message.value = R"({"type":"update","id":")" + *message.id + R"(",)" + Features() + "}";
    return message;
  }
  Message DeleteById() {
    Message message = Named(EventType::kDelete, static_cast<int>(dice_.Below(kIds)));
    message.subject.reset();
    const std::int64_t how = dice_.Below(10);
    if (how == 0) message.key.reset();
    if (how < 2) message.partition = AnyPartition();
    if (how == 2) {
      message.key = "s" + std::to_string(dice_.Below(kSubjects));
      message.partition = PlaceOf(*message.key, 0, setup_.partitions);
    }
    message.value = R"({"type":"delete","id":")" + *message.id + R"(","request":"r)" +
                    std::to_string(requests_++) + R"("})";
    return message;
  }
  Message DeleteBySubject() {
    const std::string subject = "s" + std::to_string(dice_.Below(kSubjects));
    const int rule = dice_.Percent(75) ? 0 : static_cast<int>(dice_.Below(3));
    return {.type = EventType::kDelete,
            .partition = PlaceOf(subject, rule, setup_.partitions),
            .key = subject,
            .id = {},
            .subject = subject,
            .value = R"({"type":"delete","request":"r)" + std::to_string(requests_++) + R"("})"};
  }
  Message Bad() {
    const bool is_request = dice_.Percent(30);
    return {.type = EventType::kBad,
            .partition = AnyPartition(),
            .key = {},
            .id = {},
            .subject = {},
            .value = is_request          ? R"({"type":"delete"})"
                     : dice_.Percent(50) ? R"({"type":"learn","id":"b","x":[9,9],"y":1})"
                                         : "not an event"};
  }

  const Setup& setup_;
  Dice& dice_;
  std::vector<Home> homes_;
  int requests_ = 0;
};

Op Fault(const Setup& setup, Dice& dice) {
  Op op;
  const std::int64_t roll = dice.Below(100);
  op.target = static_cast<int>(dice.Below(setup.processes));
  if (roll < 35) {
    op.kind = OpKind::kCrash;
    op.amount = dice.Between(1, 250);
  } else if (roll < 65) {
    op.kind = OpKind::kPowerCut;
    op.amount = dice.Between(1, 250);
  } else if (roll < 71) {
    op.kind = OpKind::kStop;
  } else if (roll < 80) {
    op.kind = roll < 75 ? OpKind::kRefuseCommit : OpKind::kFailCommit;
    op.target = static_cast<int>(dice.Below(setup.partitions));
  } else if (roll < 83) {
    op.kind = OpKind::kFailErasure;
    op.target = static_cast<int>(dice.Below(setup.partitions));
  } else if (roll < 89) {
    op.kind = OpKind::kBrokerAway;
    op.amount = dice.Between(10, 5000);
  } else if (roll < 91) {
    op.kind = OpKind::kRefuseLetter;
  } else {
    op.kind = OpKind::kJump;
    op.amount = dice.Between(-7'200'000, 7'200'000);
  }
  return op;
}

}  // namespace

const char* Name(OpKind kind) {
  constexpr const char* kNames[] = {
      "produce",     "step",           "advance",        "clock-jump",    "crash",
      "power-cut",   "stop",           "refused-commit", "failed-commit", "failed-erasure",
      "broker-away", "refused-letter", "late-arrival"};
  return kNames[static_cast<int>(kind)];
}

Script MakeScript(std::uint64_t seed) {
  Dice dice(seed);
  Script script{.seed = seed, .setup = MakeSetup(dice), .ops = {}};
  script.setup.rewinds = MakeRewinds(seed);
  Stream stream(script.setup, dice);
  const std::int64_t length = dice.Between(60, 260);
  const std::int64_t fault_percent = dice.Between(2, 9);
  for (std::int64_t i = 0; i < length; ++i) {
    Op op;
    const std::int64_t roll = dice.Below(100);
    if (roll < fault_percent) {
      op = Fault(script.setup, dice);
    } else if (roll < 55) {
      op.kind = OpKind::kProduce;
      op.message = stream.Next();
    } else if (roll < 88) {
      op.kind = OpKind::kStep;
      op.target = static_cast<int>(dice.Below(script.setup.partitions));
      op.amount = dice.Between(0, 12);
    } else if (roll < 98) {
      op.kind = OpKind::kAdvance;
      op.amount = dice.Percent(70) ? dice.Between(1, 3000) : dice.Between(3000, 300'000);
    } else {
      op.kind = OpKind::kArrive;
    }
    op.seed = dice.Next();
    script.ops.push_back(std::move(op));
  }
  return script;
}

std::string Describe(const Script& script) {
  std::ostringstream out;
  const Setup& setup = script.setup;
  const ForgettingSpec& forgetting = setup.spec.forgetting;
  out << "seed " << script.seed << ": " << setup.partitions << " partitions, " << setup.processes
      << " process(es), mode " << forgetting.mode
      << (setup.is_repeatable ? "" : ", randomness of the system") << ", guarantee "
      << Name(forgetting.guarantee) << ", window " << forgetting.batch_window.event_time_ms
      << " ms " << forgetting.batch_window.events << " events, deadline "
      << forgetting.deadline.event_time_ms << " ms, erase within " << setup.spec.erase_within_ms
      << " ms, commit after " << setup.commit_records << " records or " << setup.commit_every_ms
      << " ms"
      << ", rewinds " << setup.rewinds.slowness << " times as slow, on a copy after "
      << setup.rewinds.longest_ns / 1'000'000 << " ms" << (setup.gaps ? ", offsets with gaps" : "")
      << "\n";
  for (const Op& op : script.ops) {
    out << "  " << Name(op.kind);
    if (op.kind == OpKind::kProduce) {
      out << " to " << op.message.partition << " key " << op.message.key.value_or("(none)") << " "
          << op.message.value << " delay " << op.message.delay_ms << " ms";
      if (op.message.copies > 1) out << " twice";
    } else {
      out << " " << op.target << " " << op.amount;
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace lethe::simulation
