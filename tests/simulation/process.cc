#include "tests/simulation/process.h"

#include <algorithm>
#include <utility>

#include "engine/base/json.h"

namespace lethe::simulation {
namespace {

constexpr std::size_t kMostNested = 3;

}  // namespace

Process::Process(int number, World& world)
    : number_(number), world_(world), clock_(world.time, [this] { Point(); }) {
  config_.spec = world.setup.spec;
}

Process::~Process() = default;

void Process::DieAt(std::int64_t calls, bool cuts_power) {
  die_in_ = calls;
  cuts_power_ = cuts_power;
}

void Process::Repair() {
  die_in_ = 0;
  refuses_letter_ = false;
}

void Process::Point() {
  if (die_in_ > 0 && --die_in_ == 0) throw Death{};
}

RouterPorts Process::Ports() {
  return {.range = [this](ShardId shard) -> Result<OffsetRange> {
            return OffsetRange{{0}, world_.broker.End(static_cast<int>(shard.value))};
          },
          .ends = [this](const std::vector<ShardId>& shards) -> Result<std::vector<Offset>> {
            Point();
            if (world_.broker.is_away()) return Status(ErrorCode::kUnavailable, "planned: away");
            std::vector<Offset> ends;
            for (const ShardId shard : shards) {
              ends.push_back(world_.broker.End(static_cast<int>(shard.value)));
            }
            return ends;
          },
          .pass_on =
              [this](ShardId to, const RoutedRequest& target) {
                Point();
                if (world_.defect == Defect::kForgetsPassOn && ++passed_on_ % 3 == 0) {
                  return Status::Ok();
                }
                const Request& request = target.request;
                JsonWriter json;
                json.BeginObject().Field("type", "delete");
                if (request.id) json.Field("id", *request.id);
                if (request.is_replacement) json.Field("cause", "update");
                if (request.reference) json.Field("request", *request.reference);
                Outgoing message{.topic = Outgoing::Topic::kSource,
                                 .shard = busy_.back(),
                                 .partition = static_cast<int>(to.value)};
                message.message = {.type = EventType::kDelete,
                                   .partition = message.partition,
                                   .key = target.name,
                                   .id = request.id,
                                   .subject = request.id ? std::nullopt : target.name,
                                   .value = json.EndObject().text()};
                world_.broker.Send(number_, std::move(message), dice_);
                Point();
                return Status::Ok();
              },
          .is_stopping = [this] { return is_stopping_; },
          .give_way = [this] { GiveWay(); }};
}

void Process::GiveWay() {
  world_.time.AdvanceMs(dice_.Between(1, 20));
  Point();
  for (const auto& [id, worker] : workers_) {
    if (std::find(busy_.begin(), busy_.end(), id) != busy_.end()) {
      worker->Serve();
    } else if (!is_stopping_ && busy_.size() < kMostNested && dice_.Percent(30)) {
      RunOn(id, dice_.Between(0, 6));
    } else if (dice_.Percent(60)) {
      worker->Serve();
    }
  }
}

void Process::Start() {
  world_.random.NoteStart();
  clock_.Boot();
  is_stopping_ = false;
  failure_ = Status::Ok();
  router_ = std::make_unique<Router>(config_, world_.setup.partitions, Ports());
  for (int id = 0; id < world_.setup.partitions; ++id) {
    if (world_.setup.process_of(id) == number_) router_->AddShard({id});
  }
  for (int id = 0; id < world_.setup.partitions; ++id) {
    if (world_.setup.process_of(id) != number_) continue;
    workers_.emplace(id, std::make_unique<Worker>(id, world_, *this, *router_));
  }
  for (const auto& [id, worker] : workers_) {
    busy_.push_back(id);
    if (const Status status = worker->Prepare(); !status.ok()) throw Failure{id, status};
    busy_.pop_back();
  }
  has_started_ = true;
}

void Process::RunOn(int shard, std::int64_t records) {
  busy_.push_back(shard);
  const Status status = workers_.at(shard)->Step(records);
  if (!status.ok()) throw Failure{shard, status};
  busy_.pop_back();
}

template <typename Action>
void Process::Guarded(Action action) {
  try {
    try {
      action();
    } catch (const Failure& failure) {
      if (failure.status.message().find("planned: ") == std::string::npos) {
        Checks::Fail("no error without a fault", failure.shard, failure.status.message());
      }
      ++failures_;
      // Shards that gave way to the one that failed cannot go on in this simulation.
      if (busy_.size() > 1) throw Death{};
      if (has_started_) StopOthers(failure.shard);
      Die(false);
    }
  } catch (const Death&) {
    Die(cuts_power_);
    ++(cuts_power_ ? power_cuts_ : crashes_);
    cuts_power_ = false;
  }
}

void Process::StopOthers(int failed) {
  is_stopping_ = true;
  if (failed >= 0) workers_.at(failed)->Leave();
  for (const auto& [id, worker] : workers_) {
    if (id == failed) continue;
    busy_ = {id};
    // An error leaves what is not committed to the next start.
    (void)worker->Finish();
    worker->Leave();
  }
}

void Process::Die(bool cuts_power) {
  workers_.clear();
  router_.reset();
  busy_.clear();
  failure_ = Status::Ok();
  die_in_ = 0;
  is_stopping_ = false;
  has_started_ = false;
  world_.broker.OnDeath(number_, dice_);
  for (int id = 0; id < world_.setup.partitions; ++id) {
    if (world_.setup.process_of(id) != number_) continue;
    ShardFacts& facts = world_.checks.of(id);
    cuts_power ? facts.disk.CutPower(dice_) : facts.disk.Crash(dice_);
    if (cuts_power) facts.newest = -1;
  }
}

void Process::Step(int shard, std::int64_t records, std::uint64_t seed) {
  dice_ = Dice(seed);
  Guarded([&] {
    if (!is_alive()) Start();
    RunOn(shard, records);
  });
}

void Process::Stop(std::uint64_t seed) {
  if (!is_alive()) return;
  dice_ = Dice(seed);
  Guarded([&] {
    StopOthers(-1);
    if (!world_.broker.is_away()) world_.broker.Flush(number_);
    Die(false);
  });
}

}  // namespace lethe::simulation
