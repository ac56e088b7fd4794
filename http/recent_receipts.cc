#include "http/recent_receipts.h"

#include <algorithm>

#include <simdjson.h>

namespace lethe {
namespace {

namespace dom = simdjson::dom;
using Request = RecentReceipts::Request;
using Point = RecentReceipts::Point;

// An estimate of the memory that a request takes besides its receipt and notices.
constexpr std::size_t kOverhead = 512;

std::size_t BytesOf(const Request& request) {
  std::size_t bytes = kOverhead + request.receipt.size();
  for (const std::string& notice : request.notices) bytes += notice.size();
  return bytes;
}

template <typename T>
std::optional<T> Find(const dom::element& object, const char* key) {
  T value;
  if (object[key].get(value)) return std::nullopt;
  return value;
}

std::string Text(const dom::element& object, const char* key) {
  return std::string(Find<std::string_view>(object, key).value_or(""));
}

Point PointOf(const dom::element& object) {
  return {Find<std::int64_t>(object, "offset").value_or(0),
          Find<std::int64_t>(object, "timestamp")};
}

std::optional<Point> PointAt(const dom::element& object, const char* key) {
  dom::element point;
  if (object[key].get(point) || !point.is_object()) return std::nullopt;
  return PointOf(point);
}

// Fills the members of a request that come from its receipt.
void TakeReceipt(const dom::element& json, std::string_view bytes, Request& request) {
  request.receipt = bytes;
  request.events = Find<std::int64_t>(json, "events").value_or(0);
  if (const auto name = Find<std::string_view>(json, "request")) request.name = *name;
  request.outcome = Text(json, "outcome");
  request.is_update = Text(json, "cause") == "update";
  request.received = PointAt(json, "received").value_or(Point{});
  request.effective = PointAt(json, "effective");
  dom::element effective;
  if (!json["effective"].get(effective)) {
    request.model_version = Find<std::int64_t>(effective, "model_version").value_or(0);
  }
  request.certified = Find<bool>(json, "certified").value_or(false);
  request.sigma = Find<double>(json, "sigma");
  request.mu = Find<double>(json, "mu");
  request.epsilon = Find<double>(json, "epsilon");
  request.delta = Find<double>(json, "delta");
  request.advantage = Find<double>(json, "advantage");
}

// Adds a notice. The one of status "received" also tells when the request came, until the receipt
// does.
void TakeNotice(const dom::element& json, std::string_view bytes, Request& request) {
  const std::string status = Text(json, "status");
  if (status == "erased") request.erased = PointOf(json);
  if (status == "received" && request.receipt.empty()) {
    request.received = PointOf(json);
    request.events = Find<std::int64_t>(json, "events").value_or(0);
  }
  request.notices.emplace_back(bytes);
}

}  // namespace

void RecentReceipts::Add(ShardId shard, ChainKind kind, std::string_view bytes) {
  dom::parser parser;
  dom::element json;
  if (parser.parse(bytes.data(), bytes.size()).get(json) || !json.is_object()) return;
  const std::string uuid = Text(json, "receipt");
  if (!IsUuid(uuid)) return;
  const bool is_receipt = kind == ChainKind::kReceipt;

  const std::lock_guard lock(mutex_);
  const auto found = places_.find(uuid);
  // A late notice about a request that was dropped does not bring the request back.
  if (found == places_.end() && !is_receipt && Text(json, "status") != "received") return;
  auto request = found == places_.end() ? std::make_shared<Request>()
                                        : std::make_shared<Request>(*by_time_.at(found->second));
  const auto& notices = request->notices;
  if (is_receipt ? !request->receipt.empty()
                 : std::find(notices.begin(), notices.end(), bytes) != notices.end()) {
    return;
  }
  request->uuid = uuid;
  request->shard = shard;
  is_receipt ? TakeReceipt(json, bytes, *request) : TakeNotice(json, bytes, *request);
  Put(std::move(request));
}

void RecentReceipts::Put(std::shared_ptr<Request> request) {
  bytes_ += BytesOf(*request);
  const auto found = places_.find(request->uuid);
  if (found != places_.end()) {
    Shared& there = by_time_.at(found->second);
    bytes_ -= BytesOf(*there);
    there = std::move(request);
  } else {
    // A request without a time is placed with the newest one.
    const std::int64_t newest = by_time_.empty() ? 0 : by_time_.rbegin()->first.first;
    const Place place{request->received.time_ms.value_or(newest), arrivals_++};
    places_.emplace(request->uuid, place);
    by_time_.emplace(place, std::move(request));
  }
  while (bytes_ > max_bytes_ && by_time_.size() > 1) DropOldest();
}

void RecentReceipts::DropOldest() {
  const auto oldest = by_time_.begin();
  bytes_ -= BytesOf(*oldest->second);
  places_.erase(oldest->second->uuid);
  by_time_.erase(oldest);
}

std::vector<RecentReceipts::Shared> RecentReceipts::Newest(std::size_t limit,
                                                           const Shared& before) const {
  const std::lock_guard lock(mutex_);
  auto end = by_time_.end();
  if (before) {
    const auto found = places_.find(before->uuid);
    // It was dropped, and requests older than it were dropped before.
    if (found == places_.end()) return {};
    end = by_time_.find(found->second);
  }
  std::vector<Shared> newest;
  while (end != by_time_.begin() && newest.size() < limit) newest.push_back((--end)->second);
  return newest;
}

RecentReceipts::Shared RecentReceipts::Find(const std::string& uuid) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(uuid);
  return found == places_.end() ? nullptr : by_time_.at(found->second);
}

std::size_t RecentReceipts::size() const {
  const std::lock_guard lock(mutex_);
  return by_time_.size();
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (is_dash ? c != '-' : !is_digit) return false;
  }
  return true;
}

}  // namespace lethe
