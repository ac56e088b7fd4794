#include <array>
#include <cstdio>
#include <memory>

#include "app/commands/command.h"
#include "app/commands/load.h"
#include "app/progress.h"
#include "app/topics/deletion.h"
#include "app/topics/receipt_follower.h"
#include "connectors/system/sodium_random.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

struct Arguments {
  std::string config;
  DeletionOrder order;
  std::optional<std::string> subject_of_id;
  bool wait = false;
  double seconds = 60;
  bool json = false;
};

// A random reference for a request without one, because receipts are found by their reference.
std::string MakeReference() {
  std::array<std::uint8_t, 8> bytes{};
  SystemRandom().Fill({Stream::Purpose::kUuid, {}, 0}, bytes);
  return "forget-" + ToHex(bytes.data(), bytes.size());
}

Status Complete(Arguments& arguments) {
  DeletionOrder& order = arguments.order;
  if (order.subject && order.id) {
    return {ErrorCode::kUsage,
            "forget: SUBJECT forgets a person, --id an event; --id ID --subject S names the "
            "person whose event it is"};
  }
  if (!order.subject && !order.id) {
    return {ErrorCode::kUsage, "forget: name a subject, or an event by --id ID"};
  }
  if (arguments.subject_of_id && !order.id) {
    return {ErrorCode::kUsage, "forget: --subject goes with --id; without it say forget SUBJECT"};
  }
  if (order.id) order.subject = arguments.subject_of_id;
  if (order.request.empty()) order.request = MakeReference();
  return Status::Ok();
}

void PrintJson(const Arguments& arguments, const Config& config,
               const std::vector<DeletionPlace>& places,
               const std::vector<ReceiptFollower::Found>& receipts) {
  JsonWriter json;
  json.BeginObject().Field("request", arguments.order.request).Field("topic", config.spec.topic);
  json.Key("placed").BeginArray();
  for (const DeletionPlace& place : places) {
    json.BeginObject().Field("partition", std::int64_t{place.partition});
    json.Field("offset", place.offset.value).EndObject();
  }
  json.EndArray();
  if (arguments.wait) {
    json.Key("receipts").BeginArray();
    for (const auto& receipt : receipts) json.Raw(receipt.bytes);
    json.EndArray();
  }
  std::printf("%s\n", json.EndObject().text().c_str());
}

// Prints the positions of the request: to stderr with --wait, because then the receipts are the
// data.
void PrintPlaces(const Arguments& arguments, const Config& config,
                 const std::vector<DeletionPlace>& places) {
  FILE* const out = arguments.wait ? stderr : stdout;
  for (const DeletionPlace& place : places) {
    std::fprintf(out, "request %s is in topic %s, partition %d, offset %lld\n",
                 arguments.order.request.c_str(), config.spec.topic.c_str(), place.partition,
                 static_cast<long long>(place.offset.value));
  }
  std::fflush(out);
}

Status RunForget(Arguments& arguments) {
  LETHE_RETURN_IF_ERROR(Complete(arguments));
  const auto config = LoadChecked(arguments.config);
  if (!config.ok()) return config.status();
  auto access = TopicAccess::Open(config.value().source.kafka);
  if (!access.ok()) return access.status();
  std::optional<ReceiptFollower> follower;
  if (arguments.wait) {
    auto started = ReceiptFollower::Start(config.value(), *access.value());
    if (!started.ok()) return started.status();
    follower = std::move(started).value();
  }
  const auto places = SendDeletion(config.value(), *access.value(), arguments.order);
  if (!places.ok()) return places.status();
  if (!arguments.json) PrintPlaces(arguments, config.value(), places.value());
  std::vector<ReceiptFollower::Found> receipts;
  Status waited;
  if (follower) {
    const std::chrono::milliseconds patience(static_cast<std::int64_t>(1000 * arguments.seconds));
    waited = follower->Await(places.value(), arguments.order.request, patience, StderrIsTerminal(),
                             receipts);
  }
  if (arguments.json) {
    PrintJson(arguments, config.value(), places.value(), receipts);
  } else {
    for (const auto& receipt : receipts) {
      std::fprintf(stderr, "shard %lld: %s\n", static_cast<long long>(receipt.shard),
                   receipt.statement.c_str());
      std::printf("%s\n", receipt.bytes.c_str());
    }
  }
  return waited;
}

}  // namespace

Run AddForget(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  DeletionOrder& order = arguments->order;
  command.add_option("SUBJECT", order.subject, "the person: the key of the events");
  command.add_option("--id", order.id,
                     "instead: one event. It goes to every partition, since an id alone does not "
                     "say who learned it");
  command.add_option("--subject", arguments->subject_of_id,
                     "with --id: whose event it is; then it goes to one partition");
  command.add_option("--partition", order.partition, "to this partition, whatever the key says")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--request", order.request,
                     "a reference for the receipts, at most 128 bytes (a random one)");
  command.add_option("--config", arguments->config, "the configuration, in YAML")->required();
  command.add_flag("--wait", arguments->wait,
                   "wait for the receipt in publish.receipts_topic and print it");
  command.add_option("--timeout", arguments->seconds, "seconds that --wait waits (60)")
      ->check(CLI::PositiveNumber);
  command.add_flag("--json", arguments->json, "print where it went, and the receipts, as JSON");
  return [arguments] { return RunForget(*arguments); };
}

}  // namespace lethe
