#include "state/index/durable_refusals.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/base/archive.h"
#include "state/format/keys.h"

namespace lethe {
namespace {

constexpr std::size_t kHashBytes = 16;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kPlaceBytes = 2 * kNumberBytes + kHashBytes;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
// The memory of a node of places_: the place, three pointers, the colour, and the allocator's
// share.
constexpr std::size_t kNodeBytes = 80;

// The key of a place begins with eight bytes 255, so the places come after the refusals in their
// family. A hash that begins with the same bytes is practically impossible, and the length of its
// key would still tell it from a place.
const std::string& PlacesBegin() {
  static const std::string kBegin(kNumberBytes, '\xff');
  return kBegin;
}

std::string HashKeyBytes(const KeyHash& hash) {
  SavingArchive archive;
  archive(hash);
  return archive.Take();
}

// Sorts by time, then by hash. The flipped sign bit puts negative times first.
std::string PlaceKey(TimeMs until, const KeyHash& hash) {
  return PlacesBegin() + NumberKey(static_cast<std::uint64_t>(until.value) ^ kSign) +
         NumberKey(hash.low) + NumberKey(hash.high);
}

std::pair<TimeMs, KeyHash> PlaceOf(std::string_view key) {
  const auto number = [&](std::size_t i) {
    return KeyNumber(key.substr(i * kNumberBytes, kNumberBytes));
  };
  return {{static_cast<std::int64_t>(number(1) ^ kSign)}, {number(2), number(3)}};
}

std::uint32_t Tag(const KeyHash& hash) { return static_cast<std::uint32_t>(hash.low); }
// HashIndex cannot store kNone, so two values of these bits share a number. Only MayHave gets
// coarser.
std::uint32_t Number(const KeyHash& hash) {
  return std::min(static_cast<std::uint32_t>(hash.low >> 32), HashIndex::kNone - 1);
}

// A pseudorandom number for a place. Two sets of places are equal if their sums of shares are
// equal, except with a probability of about 2^-64. A sum needs no memory and no order.
std::uint64_t Share(TimeMs until, const KeyHash& hash) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(until.value) ^ hash.low) * kOdd;
  return (mixed ^ mixed >> 32 ^ hash.high) * kOdd;
}

Status Damaged() { return {ErrorCode::kInput, "the state is damaged: a refusal cannot be read"}; }

// Only a refusal with a time of its subject has the last field.
constexpr std::size_t kBytesWithoutTime = 16 + 1 + kNumberBytes;

std::string RefusalBytes(const Refusal& refusal) {
  SavingArchive archive;
  archive(refusal);
  if (refusal.up_to != kNoTime) archive(refusal.up_to);
  return archive.Take();
}

Result<Refusal> ReadRefusal(std::string_view value) {
  Refusal refusal;
  LoadingArchive archive(value);
  archive(refusal);
  if (value.size() > kBytesWithoutTime) archive(refusal.up_to);
  if (!archive.complete()) return Damaged();
  return refusal;
}

}  // namespace

Status DurableRefusals::Load(WriteBatch& batch) {
  are_places_stored_ = false;  // so that TrimPlaces keeps all places until they are compared
  Status status;
  // The shares of the places that the refusals need, minus those of the stored places; and how
  // many.
  std::uint64_t missing = 0;
  std::int64_t missing_rows = 0;
  const auto take = [&](std::string_view key, std::string_view value) {
    if (key.size() == kPlaceBytes) {
      const auto [until, hash] = PlaceOf(key);
      missing -= Share(until, hash);
      --missing_rows;
      return true;
    }
    const auto refusal = ReadRefusal(value);
    status = key.size() == kHashBytes ? refusal.status() : Damaged();
    if (!status.ok()) return false;
    KeyHash hash;
    LoadingArchive archive(key);
    archive(hash);
    table_.Add(Tag(hash), Number(hash));
    const TimeMs until = refusal.value().until;
    if (until == kNoTime) return true;
    AddPlace({until, hash});
    missing += Share(until, hash);
    ++missing_rows;
    return true;
  };
  LETHE_RETURN_IF_ERROR(store_.Scan(Family::kRefused, "", take));
  LETHE_RETURN_IF_ERROR(status);
  are_places_stored_ = missing == 0 && missing_rows == 0;
  TrimPlaces();
  return are_places_stored_ ? Status::Ok() : WriteAllPlaces(batch);
}

void DurableRefusals::OnCommitted() {
  fresh_.clear();
  are_places_stored_ = true;
  TrimPlaces();
}

Status DurableRefusals::WriteAllPlaces(WriteBatch& batch) const {
  batch.DeleteRange(Family::kRefused, PlacesBegin(), PlacesBegin() + PlacesBegin() + '\xff');
  return store_.Scan(Family::kRefused, "", [&](std::string_view key, std::string_view value) {
    if (key.size() != kHashBytes) return true;
    KeyHash hash;
    LoadingArchive archive(key);
    archive(hash);
    const TimeMs until = ReadRefusal(value).value().until;
    if (until != kNoTime) batch.Put(Family::kRefused, PlaceKey(until, hash), {});
    return true;
  });
}

bool DurableRefusals::MayHave(const KeyHash& hash) const {
  bool found = false;
  table_.ForEach(Tag(hash), [&](std::uint32_t number) { found |= number == Number(hash); });
  return found;
}

void DurableRefusals::Prefetch(const KeyHash& hash) const { table_.Prefetch(Tag(hash)); }

Result<std::optional<Refusal>> DurableRefusals::Find(const KeyHash& hash) const {
  if (!MayHave(hash)) return std::optional<Refusal>();
  if (const auto found = fresh_.find(hash); found != fresh_.end()) return found->second;
  LETHE_RETURN_IF_ERROR(settle_());
  const auto row = store_.Get(Family::kRefused, HashKeyBytes(hash));
  if (!row.ok()) return row.status();
  if (!row.value()) return std::optional<Refusal>();
  const auto refusal = ReadRefusal(*row.value());
  if (!refusal.ok()) return refusal.status();
  return std::optional(refusal.value());
}

Status DurableRefusals::Set(const KeyHash& hash, const Refusal& refusal, WriteBatch& batch) {
  const auto old = Find(hash);
  LETHE_RETURN_IF_ERROR(old.status());
  if (!old.value()) {
    table_.Add(Tag(hash), Number(hash));
  } else if (const TimeMs until = old.value()->until; until != kNoTime) {
    places_.erase({until, hash});
    batch.Delete(Family::kRefused, PlaceKey(until, hash));
  }
  fresh_[hash] = refusal;
  batch.Put(Family::kRefused, HashKeyBytes(hash), RefusalBytes(refusal));
  if (refusal.until == kNoTime) return Status::Ok();
  AddPlace({refusal.until, hash});
  batch.Put(Family::kRefused, PlaceKey(refusal.until, hash), {});
  return Status::Ok();
}

// Removes the refusals at the front of places_. When places_ is empty and the horizon has passed
// too, the next places are read, until one is found that does not end before `now`.
Status DurableRefusals::Expire(TimeMs now, WriteBatch& batch) {
  for (;;) {
    while (!places_.empty() && places_.begin()->first < now) {
      const auto [until, hash] = *places_.begin();
      places_.erase(places_.begin());
      table_.Erase(Tag(hash), Number(hash));
      fresh_[hash] = std::nullopt;
      batch.Delete(Family::kRefused, HashKeyBytes(hash));
      batch.Delete(Family::kRefused, PlaceKey(until, hash));
    }
    if (!places_.empty() || !horizon_ || horizon_->first >= now) break;
    LETHE_RETURN_IF_ERROR(ReadPlaces());
  }
  if (table_.size() == 0) table_ = HashIndex();  // frees the memory
  return Status::Ok();
}

void DurableRefusals::AddPlace(const Place& place) {
  if (horizon_ && place >= *horizon_) return;
  places_.insert(place);
  TrimPlaces();
}

void DurableRefusals::TrimPlaces() {
  if (places_.size() <= kMost || !are_places_stored_) return;
  const auto first_dropped = std::next(places_.begin(), kFewest);
  horizon_ = *first_dropped;
  places_.erase(first_dropped, places_.end());
}

// The store does not have the uncommitted changes. So a stored place whose hash has one is skipped:
// it is stale. Afterwards the uncommitted places are added, if they are not before the old horizon:
// those before it are in places_ already, or were there and have expired.
Status DurableRefusals::ReadPlaces() {
  LETHE_RETURN_IF_ERROR(settle_());
  const Place begin = *horizon_;
  horizon_.reset();
  std::size_t count = 0;
  LETHE_RETURN_IF_ERROR(store_.Scan(Family::kRefused, PlaceKey(begin.first, begin.second),
                                    [&](std::string_view key, auto) {
                                      if (key.size() != kPlaceBytes) return true;
                                      const Place place = PlaceOf(key);
                                      if (fresh_.count(place.second) > 0) return true;  // stale
                                      if (count++ == kFewest) horizon_ = place;
                                      if (!horizon_) places_.insert(place);
                                      return !horizon_.has_value();
                                    }));
  for (const auto& [hash, refusal] : fresh_) {
    if (!refusal || refusal->until == kNoTime) continue;
    const Place place{refusal->until, hash};
    if (place >= begin) AddPlace(place);
  }
  return Status::Ok();
}

std::size_t DurableRefusals::bytes() const { return table_.bytes() + places_.size() * kNodeBytes; }

}  // namespace lethe
