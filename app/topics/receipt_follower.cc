#include "app/topics/receipt_follower.h"

#include <cstdio>
#include <thread>

#include <simdjson.h>

#include "app/interrupt.h"
#include "connectors/json/envelope.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kPause{100};

std::string Text(const simdjson::dom::element& object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

}  // namespace

Result<ReceiptFollower> ReceiptFollower::Start(const Config& config, TopicAccess& access) {
  if (!config.publish.receipts_topic) {
    return Status(ErrorCode::kConfig,
                  "publish.receipts_topic is not set, so that there is nothing to wait for");
  }
  ReceiptFollower follower(access, *config.publish.receipts_topic);
  const auto count = access.Partitions(follower.topic_);
  if (!count.ok()) return count.status();
  for (std::int32_t partition = 0; partition < count.value(); ++partition) {
    const auto range = access.cluster().Range(follower.topic_, partition, kBrokerTimeout);
    if (!range.ok()) return range.status();
    follower.next_[partition] = range.value().next;
  }
  return follower;
}

// A receipt is one of ours if its shard and offset are those of a place. The receipt of a shard
// that the request was passed on to has another offset, so it is recognised by the reference of the
// request. It may come before the receipt that announces it: then `early_` remembers its shard.
void ReceiptFollower::Take(const std::string& bytes, const std::string& request,
                           std::vector<Found>& found) {
  simdjson::dom::parser parser;
  simdjson::dom::element receipt;
  if (parser.parse(bytes).get(receipt) != simdjson::SUCCESS ||
      Text(receipt, "format") != "lethe.receipt/1") {
    return;
  }
  std::int64_t shard = 0;
  std::int64_t offset = 0;
  if (receipt["shard"].get(shard) != simdjson::SUCCESS ||
      receipt.at_pointer("/received/offset").get(offset) != simdjson::SUCCESS) {
    return;
  }
  const bool is_ours = places_.erase({shard, offset}) > 0;
  if (!is_ours) {
    if (request.empty() || Text(receipt, "request") != request) return;
    if (passed_on_.erase(shard) == 0) early_.insert(shard);
  }
  found.push_back({bytes, Text(receipt, "outcome"), Text(receipt, "statement"), shard});
  simdjson::dom::array passed_on;
  if (!is_ours || receipt["passed_on"].get(passed_on) != simdjson::SUCCESS) return;
  for (const auto& element : passed_on) {
    std::int64_t to = 0;
    if (element.get(to) == simdjson::SUCCESS && early_.erase(to) == 0) passed_on_.insert(to);
  }
}

Status ReceiptFollower::Poll(const std::string& request, std::vector<Found>& found) {
  for (auto& [partition, next] : next_) {
    const auto range = access_->cluster().Range(topic_, partition, kBrokerTimeout);
    if (!range.ok()) return range.status();
    LETHE_RETURN_IF_ERROR(access_->Read(
        topic_, partition, {next, range.value().next}, [&](const FoundMessage& message) {
          Take(WithoutEnvelope(message.value.value_or("")), request, found);
          return true;
        }));
    next = range.value().next;
  }
  return Status::Ok();
}

Status ReceiptFollower::Await(const std::vector<DeletionPlace>& places, const std::string& request,
                              std::chrono::milliseconds patience, bool show_progress,
                              std::vector<Found>& found) {
  for (const DeletionPlace& place : places) places_.insert({place.partition, place.offset.value});
  const auto start = std::chrono::steady_clock::now();
  const auto clear = [&] {
    if (show_progress) std::fputs("\r\x1b[K", stderr);
  };
  while (true) {
    const Status polled = Poll(request, found);
    // A broker that does not answer now may answer before the time is over.
    if (!polled.ok() && polled.code() != ErrorCode::kUnavailable && !Interrupted()) {
      clear();
      return polled;
    }
    if (IsComplete()) break;
    const auto waited = std::chrono::steady_clock::now() - start;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
    if (Interrupted() || waited >= patience) {
      clear();
      if (Interrupted()) return InterruptedStatus("the request is in the topic, and stays there");
      std::string missing;
      for (const auto& [shard, offset] : places_) missing += " " + std::to_string(shard);
      for (const std::int64_t shard : passed_on_) missing += " " + std::to_string(shard);
      return {ErrorCode::kUnavailable,
              "no receipt within " + std::to_string(seconds) + " s from shard" + missing +
                  "; the request is in the topic, and is served as soon as a process works on it"};
    }
    if (show_progress) {
      std::fprintf(
          stderr, "\rwaiting for %zu receipt%s, %lld s", places_.size() + passed_on_.size(),
          places_.size() + passed_on_.size() == 1 ? "" : "s", static_cast<long long>(seconds));
    }
    std::this_thread::sleep_for(kPause);
  }
  clear();
  return Status::Ok();
}

}  // namespace lethe
