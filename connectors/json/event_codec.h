#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/ports/event.h"
#include "engine/ports/learn_view.h"

namespace lethe {

// An envelope, or a bare event, that did not say its offset.
inline constexpr Offset kNoOffset{-1};

// Turns JSON into events: the value of a message, or a line of a recorded stream.
//
// A record is taken or refused as a whole. It is parsed completely before anything is looked at, so
// that broken JSON is refused wherever it breaks, and the order of members does not matter. Members
// that are not documented are ignored; so are documented ones that the kind of event does not use
// (the x of a delete), whatever they hold. Of a member given twice the last one counts. An optional
// member (id, subject, request, key, partition, offset, timestamp) that is null is not there.
//
//   learn   x (a non-empty array of numbers) or f (an object of numbers), and y (a number). Both x
//           and f are refused as kWrongType, none of them as kMissingField. f keeps its order and
//           repeated names. The subject is the key or else "subject"; "id" is optional.
//   update  as learn, with an "id".
//   delete  "id", or else "subject", or else the key: exactly one of id and subject is set in the
//           event. "request" is optional. A null value is a delete of the key. With an id and
//           "cause":"update" it forgets the old version of what an update has replaced elsewhere.
//
// An id, subject, key or request is a string, or an integer of 64 bits that stands for its decimal
// text. Ids and subjects have 1 to kMaxIdBytes bytes, a request at most kMaxRequestBytes.
//
// A rejection says which field was wrong, and the position in x or f (from 0), never what stood
// there. It has is_request set when the record was recognisably a delete, also in text that is cut
// off or too large.
//
// Buffers are kept from call to call, in the codec and in the event that is filled. No exception
// escapes. Not thread-safe: each thread has its own.
class JsonEventCodec {
 public:
  static constexpr std::size_t kDefaultMaxBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMaxDepth = 32;  // of nested arrays and objects

  explicit JsonEventCodec(std::size_t max_bytes = kDefaultMaxBytes);
  ~JsonEventCodec();
  JsonEventCodec(const JsonEventCodec&) = delete;
  JsonEventCodec& operator=(const JsonEventCodec&) = delete;

  // Decodes the value of a message; none is a tombstone, and so is JSON's null. Five bytes of a
  // schema registry (0 and an id) before the JSON are skipped. After a rejection `event` is clear.
  [[nodiscard]] std::optional<Rejection> DecodeValue(const std::optional<std::string_view>& value,
                                                     const std::optional<std::string_view>& key,
                                                     Event& event);

  // The same for most learns, of which nothing is copied: id and subject stay in the text and the
  // key, the numbers are in `x`. False: it is another one, or is to be refused, or has a prefix.
  bool ReadLearnView(std::string_view text, const std::optional<std::string_view>& key,
                     std::vector<double>& x, LearnView& learn) const;

  // Decodes a line of a recorded stream into all of `record`. The line is an envelope if it has a
  // "value", or no "type" and a "key" (then the value is null, unless there is an x, f or y); else
  // it is a bare event, of shard 0. Instead of "value" an envelope may have "value_base64": the
  // bytes of a message, JSON or binary, so that broken ones can be kept too; and instead of "key",
  // which is text, "key_base64". What the line does not
  // say, or not in a way that can be trusted, is shard 0, kNoOffset, kNoTime.
  void DecodeLine(std::string_view line, Record& record);

 private:
  struct Scratch;

  const std::size_t max_bytes_;
  const std::unique_ptr<Scratch> scratch_;
};

}  // namespace lethe
