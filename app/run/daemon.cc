#include "app/run/daemon.h"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "app/interrupt.h"
#include "app/log.h"
#include "app/run/connection.h"
#include "app/run/file_budget.h"
#include "app/run/kafka_erasure_gateway.h"
#include "app/run/pipeline_info.h"
#include "app/run/router_ports.h"
#include "app/run/service_manager.h"
#include "app/run/shard_worker.h"
#include "app/run/topic_watch.h"
#include "app/run/worker_threads.h"
#include "app/topics/limits.h"
#include "app/version.h"
#include "connectors/kafka/log.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "connectors/system/system_clock.h"
#include "http/server.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuestion{5'000};  // to a broker
constexpr int kTriesPerWarning = 10;
constexpr milliseconds kTick{50};
constexpr milliseconds kGoodbye{10'000};  // for receipts that are on their way at a stop

class Daemon {
 public:
  Daemon(const Config& config, const Plan& plan, const RunOptions& options)
      : config_(config),
        plan_(plan),
        options_(options),
        random_(MakeRandom(plan.spec.noise)),
        published_(InfoBeforeTheTopic()),
        metrics_(published_, kVersion) {}

  Status Run() {
    auto settings = MakeKafkaSettings(config_.source.kafka);
    if (!settings.ok()) return settings.status();
    settings_ = std::move(settings).value();
    umask(0077);  // what is written from here on is personal data
    auto folder = StateFolder::Open(config_.state.path);
    if (!folder.ok()) return folder.status();
    folder_ = std::move(folder).value();
    auto signer = ReceiptSigner::Open(config_.state.path);
    if (!signer.ok()) return signer.status();
    signer_ = std::move(signer).value();
    published_.SetNotReady("start", "starting");
    LETHE_RETURN_IF_ERROR(StartHttp());
    for (const std::string& why : plan_.WhyNotCertified()) {
      LogWarning("deletions will not be certified: " + why);
    }
    const Status status = Work();
    // A stop while waiting for a broker is a stop like any other.
    return status.code() == ErrorCode::kInterrupted ? Status::Ok() : status;
  }

 private:
  // What is promised of the shards together is not known before it is known how many they are.
  PipelineInfo InfoBeforeTheTopic() const {
    PipelineInfo info = PipelineInfoOf(plan_, hasher_);
    info.shards = 0;
    return info;
  }

  Status StartHttp() {
    const std::string& listen = config_.http.listen;
    const std::size_t colon = listen.rfind(':');
    HttpServer::Options options{
        .host = listen.substr(0, colon),
        .port = std::stoi(listen.substr(colon + 1)),
        .token = {},
        .connections = files_.http_connections(),
        .hasher = &hasher_,
        .extras = {
            .receipts = &recent_receipts_, .signer = signer_.get(), .web_root = options_.web_root}};
    if (config_.http.token_file) {
      auto token = ReadSecret(*config_.http.token_file);
      if (!token.ok()) {
        return {ErrorCode::kConfig, "http.token_file: " + token.status().message()};
      }
      options.token = std::move(token).value();
    }
    if (const auto warning = ListenWarning(config_.http)) LogWarning(*warning);
    // Requests for deletion need a token, unless this is a demonstration.
    if (options.token) LETHE_RETURN_IF_ERROR(OpenGateway());
    options.extras.forget =
        options_.open_gateway != nullptr ? options_.open_gateway : gateway_.get();
    auto http = HttpServer::Start(options, published_, metrics_);
    if (!http.ok()) return http.status();
    http_ = std::move(http).value();
    LogInfo("listening", {{"url", http_->url()}});
    if (options_.on_listening) options_.on_listening(http_->url());
    return Status::Ok();
  }

  Status OpenGateway() {
    auto gateway = KafkaErasureGateway::Open(config_, settings_, KafkaTalk(), clock_);
    if (!gateway.ok()) return gateway.status();
    gateway_ = std::move(gateway).value();
    return Status::Ok();
  }

  Status Work() {
    LETHE_RETURN_IF_ERROR(Connect());
    LETHE_RETURN_IF_ERROR(StartProducer());
    Publisher publisher(config_, producer_.get(), *signer_, stopping_, &recent_receipts_,
                        &metrics_);
    publisher.SetModelLimit(model_limit_);
    Router router(config_, partitions_, LivePorts(config_, *cluster_, publisher, stopping_));
    // The workers and the producer's callbacks refer to the publisher and to the router, so both
    // end before these, also when a start fails half-way.
    struct Ending {
      Daemon& daemon;
      ~Ending() {
        daemon.workers_.clear();
        daemon.producer_.reset();
      }
    } const ending{*this};
    auto watch = TopicWatch::Open(config_, settings_, producer_.get(), partitions_);
    if (!watch.ok()) return watch.status();
    LETHE_RETURN_IF_ERROR(OpenShards(publisher, router, watch.value()->ownership()));
    std::vector<Assignment> assignments;
    for (const auto& worker : workers_) assignments.push_back(worker->assignment());
    auto consumer = KafkaConsumer::Start(settings_, config_.spec.topic, std::move(assignments),
                                         KafkaTalk(), {.keep_values = config_.dead_letter.payload});
    if (!consumer.ok()) return consumer.status();
    router.SetWake([&consumer] { consumer.value()->Wake(); });
    published_.SetReady("start");
    TellServiceManager("READY=1\nSTATUS=ready");
    LogInfo("ready", {{"topic", config_.spec.topic},
                      {"shards", std::to_string(workers_.size())},
                      {"mode", plan_.spec.forgetting.mode}});
    std::vector<TopicWatch::Partition> partitions;
    for (const auto& worker : workers_) {
      partitions.push_back({worker->assignment().partition, worker->last_record()});
    }
    watch.value()->Start(*consumer.value(), std::move(partitions));
    const Status status = RunWorkers({config_, settings_.brokers, clock_, published_, metrics_,
                                      producer_.get(), stopping_, workers_},
                                     *consumer.value());
    watch.value()->Stop();
    return SayGoodbye(status);
  }

  KafkaLog KafkaTalk() {
    return [this](const std::string& line) { kafka_log_.Tell(line); };
  }

  // Repeats a question until it is answered by anything but "not reachable".
  Status Wait(const std::function<Status()>& question) {
    for (int tries = 0;;) {
      const Status status = question();
      if (status.code() != ErrorCode::kUnavailable) {
        published_.SetReady("broker");
        return status;
      }
      if (options_.fail_fast) return status;
      published_.SetNotReady("broker", status.message());
      TellServiceManager("STATUS=" + status.message());
      if (tries++ % kTriesPerWarning == 0) {
        LogWarning(status.message() + "; waiting, Ctrl-C stops");
        published_.AddTrouble({clock_.NowMs(), status.message()});
      }
      for (int i = 0; i < 20 && !Interrupted(); ++i) std::this_thread::sleep_for(kTick);
      if (Interrupted()) return InterruptedStatus("while waiting for a broker");
    }
  }

  Status TopicExists(const std::string& topic, std::int32_t& partitions) {
    return Wait([&]() -> Status {
      const auto count = cluster_->PartitionCount(topic, kQuestion);
      if (!count.ok()) return count.status();
      if (!count.value()) {
        return {ErrorCode::kUnavailable,
                "topic " + topic + " does not exist on " + settings_.brokers + "; create it"};
      }
      partitions = *count.value();
      return Status::Ok();
    });
  }

  Status Connect() {
    auto cluster = KafkaCluster::Open(settings_, KafkaTalk());
    if (!cluster.ok()) return cluster.status();
    cluster_ = std::move(cluster).value();
    LogInfo("connecting", {{"brokers", settings_.brokers}});
    LETHE_RETURN_IF_ERROR(Wait([&]() -> Status {
      auto id = cluster_->ClusterId(kQuestion);
      if (!id.ok()) return id.status();
      cluster_id_ = std::move(id).value();
      return Status::Ok();
    }));
    LETHE_RETURN_IF_ERROR(TopicExists(config_.spec.topic, partitions_));
    auto plan = Plan::Make(plan_.spec, partitions_);
    if (!plan.ok()) return plan.status();
    plan_ = std::move(plan).value();
    published_.SetInfo(PipelineInfoOf(plan_, hasher_));
    std::int32_t ignored = 0;
    for (const auto& topic : {config_.publish.receipts_topic, config_.publish.models_topic,
                              config_.dead_letter.topic}) {
      if (topic) LETHE_RETURN_IF_ERROR(TopicExists(*topic, ignored));
    }
    metrics_.SetPartitions(partitions_);
    return Status::Ok();
  }

  Status StartProducer() {
    if (!config_.publish.receipts_topic) {
      LogWarning(
          "without publish.receipts_topic an old copy of the state cannot be told from the "
          "newest one; set it in production");
    }
    // With several partitions, deletions may have to be passed on.
    if (!config_.publish.receipts_topic && !config_.publish.models_topic &&
        !config_.dead_letter.topic && partitions_ == 1) {
      return Status::Ok();
    }
    std::vector<std::string> topics = {config_.spec.topic};
    for (const auto& topic : {config_.publish.receipts_topic, config_.publish.models_topic,
                              config_.dead_letter.topic}) {
      if (topic) topics.push_back(*topic);
    }
    const KafkaSettings fitted = FitTo(topics);
    published_.SetReady("broker");
    auto producer = KafkaProducer::Start(fitted, KafkaTalk());
    if (!producer.ok()) return producer.status();
    producer_ = std::move(producer).value();
    return Status::Ok();
  }

  // The settings of a producer to these topics.
  KafkaSettings FitTo(const std::vector<std::string>& topics) {
    std::map<std::string, std::int64_t> limits;
    if (options_.ask_for_limits) {
      // A cluster that answers everything else may refuse or ignore this question.
      auto answer = AskForLimits(settings_, topics, kQuestion);
      if (answer.ok()) {
        limits = std::move(answer).value();
      } else {
        LogWarning(answer.status().message() +
                   "; going on with the limits of the client, so larger dead letters go out "
                   "without their payload, and models that the topic refuses are lost silently");
      }
    }
    std::vector<std::int64_t> bytes;
    for (const auto& [topic, limit] : limits) bytes.push_back(limit);
    KafkaSettings fitted = FitToLimits(settings_, bytes);
    const auto models = limits.find(config_.publish.models_topic.value_or(""));
    model_limit_ = MostSentBytes(
        fitted, models == limits.end() ? std::nullopt : std::optional(models->second));
    return fitted;
  }

  Status OpenShards(Publisher& publisher, Router& router, Ownership* ownership) {
    const Partitions& chosen = config_.source.kafka.partitions;
    for (const std::int32_t partition : chosen.list) {
      if (partition >= partitions_) {
        return {ErrorCode::kInput, "source.kafka.partitions: there is no partition " +
                                       std::to_string(partition) + ", topic " + config_.spec.topic +
                                       " has " + std::to_string(partitions_)};
      }
    }
    std::int64_t shards = 0;
    for (std::int32_t i = 0; i < partitions_; ++i) shards += chosen.Contains(i) ? 1 : 0;
    const auto open_files = files_.DatabaseFiles(shards);
    if (!open_files.ok()) return open_files.status();
    StartupFence fence(config_, *cluster_, cluster_id_, partitions_, options_.fence, ownership);
    for (std::int32_t partition = 0; partition < partitions_; ++partition) {
      if (!chosen.Contains(partition)) continue;
      router.AddShard({partition});
      auto folder = ShardFolder::Open(*folder_, {partition}, *random_, hasher_);
      if (!folder.ok()) return folder.status();
      ShardFolder& opened = *folder.value();
      LETHE_RETURN_IF_ERROR(opened.store().LimitOpenFiles(open_files.value()));
      workers_.push_back(std::make_unique<ShardWorker>(
          WorkerContext{config_, plan_, hasher_, *random_, clock_, published_, metrics_, publisher,
                        *signer_, router, stopping_},
          std::move(folder).value()));
      const Status prepared = Wait([&] { return workers_.back()->Prepare(fence); });
      if (prepared.ok()) continue;
      // A start that is refused leaves no state behind that was never used.
      if (opened.is_new() && opened.state().commits() == 0) {
        workers_.pop_back();
        std::error_code ignored;
        std::filesystem::remove_all(ShardPath(config_.state.path, {partition}), ignored);
      }
      return prepared;
    }
    if (workers_.empty()) {
      return {ErrorCode::kInput, "source.kafka.partitions chooses none of the " +
                                     std::to_string(partitions_) + " partitions of topic " +
                                     config_.spec.topic};
    }
    return WarnOfOrphans();
  }

  // A state that no worker owns holds people who cannot be forgotten.
  Status WarnOfOrphans() {
    const auto shards = folder_->Shards();
    if (!shards.ok()) return shards.status();
    for (const ShardId shard : shards.value()) {
      bool is_owned = false;
      for (const auto& worker : workers_) is_owned |= worker->id() == shard;
      if (!is_owned) {
        LogWarning(
            "this state has a shard that is not assigned here: what it learned cannot be "
            "forgotten by this process",
            {{"shard", std::to_string(shard.value)}});
      }
    }
    return Status::Ok();
  }

  Status SayGoodbye(const Status& status) {
    if (producer_ && producer_->outstanding() > 0 && !producer_->Flush(kGoodbye).ok()) {
      LogWarning("not everything was acknowledged in time; the rest is sent at the next start",
                 {{"messages", std::to_string(producer_->outstanding())}});
    }
    for (const auto& worker : workers_) {
      const Status closed = worker->Close();
      if (status.ok() && !closed.ok()) return closed;
    }
    if (status.ok()) LogInfo("stopped cleanly");
    return status;
  }

  const Config& config_;
  Plan plan_;  // of one shard, until the topic says how many there are
  const RunOptions& options_;
  const FileBudget files_ = FileBudget::OfThisProcess();
  SystemClock clock_;
  SodiumHasher hasher_;
  const std::unique_ptr<RandomSource> random_;
  PublishedState published_;
  // Shared by the connections, which say the same of a broker that is away.
  kafka::RateLimitedLog kafka_log_{[this](const std::string& line) {
    LogWarning(line, {{"from", "kafka"}});
    published_.AddTrouble({clock_.NowMs(), line});
  }};
  PipelineMetrics metrics_;
  std::atomic<bool> stopping_{false};
  KafkaSettings settings_;
  std::unique_ptr<StateFolder> folder_;
  std::unique_ptr<ReceiptSigner> signer_;
  RecentReceipts recent_receipts_;
  std::unique_ptr<KafkaErasureGateway> gateway_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<KafkaCluster> cluster_;
  std::string cluster_id_;
  std::int32_t partitions_ = 0;
  std::unique_ptr<KafkaProducer> producer_;
  std::int64_t model_limit_ = 0;  // bytes of the largest record that the models topic takes
  std::vector<std::unique_ptr<ShardWorker>> workers_;
};

}  // namespace

Status RunDaemon(const Config& config, const Plan& plan, const RunOptions& options) {
  LETHE_RETURN_IF_ERROR(plan.CheckRun());
  return Daemon(config, plan, options).Run();
}

}  // namespace lethe
