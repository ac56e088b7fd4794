#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/binary/wire.h"
#include "engine/ports/event.h"
#include "engine/ports/learn_view.h"

namespace lethe {

// The width of the numbers in a message. Float32 halves the message, and is exact for values that
// are floats.
enum class NumberWidth : std::uint8_t { kFloat64, kFloat32 };

// A codec between events and the binary form of a message, which docs/formats/binary.md describes
// byte by byte.
//
// The rules are those of JsonEventCodec. A message is accepted or rejected as a whole. The subject
// of a learn or update is the key, or else the subject in the message. A delete names its id, or
// else its subject, or else the key; a missing value is a delete of the key. Texts are UTF-8,
// except subjects, which may be any bytes, and every number is finite. For each width an event has
// exactly one encoding, and DecodeValue accepts every message that Encode writes.
//
// A rejection names the field that was wrong and the position in x or f (from 0), never the value.
// is_request is set when the message was recognisably a delete, also in a later version of the
// format.
//
// The bytes are not trusted: every length is compared with the bytes that are left before it is
// used, and memory is bounded by eight times the message. Buffers are reused from call to call, in
// the codec and in the event, so a stream of similar events is decoded without allocation. Not
// thread-safe: each thread has its own codec. A rejected message leaves it usable, and no exception
// escapes.
class BinaryEventCodec {
 public:
  // The largest event that fits a line of JSON (1 MiB) needs about half of this.
  static constexpr std::size_t kDefaultMaxBytes = std::size_t{1} << 23;

  explicit BinaryEventCodec(std::size_t max_bytes = kDefaultMaxBytes) : max_bytes_(max_bytes) {}
  BinaryEventCodec(const BinaryEventCodec&) = delete;
  BinaryEventCodec& operator=(const BinaryEventCodec&) = delete;

  // Whether a value is meant as a binary message, by its first byte, with which neither JSON nor
  // the prefix of a schema registry can begin.
  static bool IsMessage(std::string_view value);

  // Decodes the value of a message into `event`. Returns nothing on success; after a rejection
  // `event` is cleared.
  [[nodiscard]] std::optional<Rejection> DecodeValue(const std::optional<std::string_view>& value,
                                                     const std::optional<std::string_view>& key,
                                                     Event& event);

  // Fast path of DecodeValue for dense learns with an ASCII id. `plain` borrows id, subject and
  // features from the message and the key. Returns false if the event needs DecodeValue; `plain` is
  // then unspecified. Unlike DecodeValue, it does not check that the numbers are finite: Admission
  // does.
  bool ReadLearnView(std::string_view message, const std::optional<std::string_view>& key,
                     LearnView& plain) const;

  // Appends the message of an event, including its subject. Returns a rejection, and appends
  // nothing, if the form cannot hold the event: an id is not UTF-8, or a number does not fit the
  // width.
  [[nodiscard]] std::optional<Rejection> Encode(const Event& event, NumberWidth width,
                                                std::string& out) const;

 private:
  std::optional<Rejection> Read(std::string_view message,
                                const std::optional<std::string_view>& key, Event& event);
  std::optional<Rejection> ReadExample(wire::Cursor& cursor, unsigned flags, Event& event);
  template <typename Number>
  std::optional<Rejection> ReadNumbers(wire::Cursor& cursor, unsigned flags, Event& event);
  template <typename Number>
  std::optional<Rejection> ReadLabelAndWeight(wire::Cursor& cursor, unsigned flags, Event& event);
  template <typename Number>
  std::optional<Rejection> ReadNamed(wire::Cursor& cursor, std::size_t count, Event& event);
  std::optional<Rejection> ReadTexts(wire::Cursor& cursor, Event& event);

  void Put(std::string_view text, std::optional<std::string>& to);
  void Remove(std::optional<std::string>& from);
  void ResizeNamed(std::size_t count, Event& event);
  void Keep(std::string&& buffer);

  const std::size_t max_bytes_;
  std::vector<std::string> spare_;  // buffers of texts that the last events did not need
};

// The number of numbers in an event that change when they are written as float32.
std::size_t CountInexactInFloat32(const Event& event);

}  // namespace lethe
