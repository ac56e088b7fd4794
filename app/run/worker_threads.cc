#include "app/run/worker_threads.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "app/interrupt.h"
#include "app/log.h"
#include "app/run/broker_watch.h"
#include "app/run/service_manager.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
constexpr int kTicksPerMeasure = 20;

void Measure(const WorkerThreads& context, const KafkaConsumer& consumer) {
  for (const auto& worker : context.workers) worker->Measure(consumer);
  if (context.producer != nullptr) {
    const auto age = context.producer->oldest_age();
    const auto seconds = [&] {
      return static_cast<double>(context.clock.NowMs() - age->count()) / 1000;
    };
    context.metrics.SetPublishing(context.producer->outstanding(),
                                  age ? std::optional(seconds()) : std::nullopt);
  }
  std::error_code error;
  const auto space = std::filesystem::space(context.config.state.path, error);
  if (!error) context.metrics.SetStateFree(static_cast<std::int64_t>(space.available));
}

// The first error among the results. An interrupted worker has not failed.
Status FirstError(const std::vector<Status>& results) {
  for (const Status& status : results) {
    if (!status.ok() && status.code() != ErrorCode::kInterrupted) return status;
  }
  return Status::Ok();
}

}  // namespace

Status RunWorkers(const WorkerThreads& context, KafkaConsumer& consumer) {
  const auto& workers = context.workers;
  std::vector<Status> results(workers.size());
  std::atomic<std::size_t> running{workers.size()};
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    threads.emplace_back([&, i] {
      results[i] = workers[i]->Run(consumer);
      if (!results[i].ok() && results[i].code() != ErrorCode::kInterrupted) failed = true;
      --running;
    });
  }
  BrokerWatch watch(context.brokers, context.clock, context.published, context.metrics);
  for (int tick = 0; !Interrupted() && !failed && running > 0; ++tick) {
    std::this_thread::sleep_for(kTick);
    if (tick % kTicksPerMeasure != 0) continue;
    Measure(context, consumer);
    if (watch.Look(consumer.contact())) {
      TellServiceManager("STATUS=" + (watch.trouble().empty() ? "ready" : watch.trouble()));
    }
  }
  if (Interrupted()) LogInfo("stopping; a second signal stops at once");
  context.published.SetStopping();
  TellServiceManager("STOPPING=1\nSTATUS=stopping");
  context.stopping = true;
  consumer.Stop();
  while (running > 0) {
    consumer.Wake();
    std::this_thread::sleep_for(milliseconds(5));
  }
  for (std::thread& thread : threads) thread.join();
  const Status status = FirstError(results);
  if (!status.ok()) {
    context.published.SetUnhealthy(status.message());
    context.published.AddTrouble({context.clock.NowMs(), status.message()});
  }
  return status;
}

}  // namespace lethe
