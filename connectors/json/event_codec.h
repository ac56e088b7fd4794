#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/ports/event.h"
#include "engine/ports/learn_view.h"

namespace lethe {

// The offset of a record whose line does not state one.
inline constexpr Offset kNoOffset{-1};

// A decoder from JSON to events, for the value of a message or a line of a recording.
//
// A record is accepted or rejected as a whole. It is parsed completely before any member is read,
// so broken JSON is rejected wherever it breaks, and the order of members does not matter.
// Undocumented members are ignored and counted (Event::unknown_members). Documented members that
// the kind of event does not use (the x of a delete) are ignored, whatever they hold. If a member
// is repeated, the last one counts. An optional member (id, subject, request, key, partition,
// offset, timestamp) that is null counts as absent.
//
//   learn   x (a non-empty array of numbers) or f (an object of numbers), and y (a number, or a
//           string: the name of a class). An event with both x and f is rejected as kWrongType, one
//           with neither as kMissingField. f keeps its order and repeated names. "w", the weight,
//           is optional; it is any number here, and Admission enforces its bounds. The subject is
//           the key or else "subject"; "id" is optional.
//   update  like learn, but "id" is required.
//   delete  "id", or else "subject", or else the key: exactly one of id and subject is set in the
//           event. "request" is optional. A null value is a delete of the key. With an id and
//           "cause":"update" it deletes the old version of an event that was updated on another
//           partition.
//
// An id, subject, key or request is a string, or an integer of 64 bits that stands for its decimal
// text. Ids and subjects have 1 to kMaxIdBytes bytes, a request at most kMaxRequestBytes.
//
// A rejection names the field that was wrong and the position in x or f (from 0), never the value.
// is_request is set when the record was recognisably a delete, even if its text is cut off or too
// large.
//
// Not thread-safe: each thread has its own codec. Buffers are reused from call to call, in the
// codec and in the event that is filled. Nothing is borrowed after a call. A rejected record leaves
// the codec usable, and no exception escapes.
class JsonEventCodec {
 public:
  static constexpr std::size_t kDefaultMaxBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMaxDepth = 32;  // of nested arrays and objects

  explicit JsonEventCodec(std::size_t max_bytes = kDefaultMaxBytes);
  ~JsonEventCodec();
  JsonEventCodec(const JsonEventCodec&) = delete;
  JsonEventCodec& operator=(const JsonEventCodec&) = delete;

  // Decodes the value of a message. A missing value is a tombstone, and so is the JSON null. The
  // five-byte prefix of a schema registry (0 and an id) is skipped. Returns nothing on success;
  // after a rejection `event` is cleared.
  [[nodiscard]] std::optional<Rejection> DecodeValue(const std::optional<std::string_view>& value,
                                                     const std::optional<std::string_view>& key,
                                                     Event& event);

  // Fast path of DecodeValue for canonical learns with an id (json/canonical.h). `learn` borrows
  // its texts from `text` and `key`, and its numbers from `x`. Returns false if the event needs
  // DecodeValue; `learn` and `x` are then unspecified.
  bool ReadLearnView(std::string_view text, const std::optional<std::string_view>& key,
                     std::vector<double>& x, LearnView& learn) const;

  // Decodes a line of a recording into `record`, which gets an event or a rejection. A line is an
  // envelope if it has a "value", or if it has a "key" and none of "type", x, f and y (it is then a
  // tombstone); every other line is a bare event of shard 0. An envelope may have "value_base64"
  // instead of "value": the bytes of a message, JSON or binary, so that broken messages can be
  // recorded too. It may have "key_base64" instead of "key", for a key that is not text. A position
  // that is absent or unreadable is shard 0, kNoOffset, kNoTime. Does not set is_rerouted.
  void DecodeLine(std::string_view line, Record& record);

 private:
  struct Scratch;

  const std::size_t max_bytes_;
  const std::unique_ptr<Scratch> scratch_;
};

}  // namespace lethe
