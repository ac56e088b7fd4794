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

// How a message writes its numbers. Float32 halves it, and is exact for values that are floats.
enum class NumberWidth : std::uint8_t { kFloat64, kFloat32 };

// Turns the binary form of a message into events and back. docs/formats/binary.md has every byte.
//
// The rules are those of JsonEventCodec: a message is taken or refused as a whole; the key is the
// subject of a learn or update, or else what the message says; a delete goes by its id, or else its
// subject, or else the key; no value at all is a delete of the key. Text is UTF-8 but for subjects,
// which may be any bytes, and every number finite. An event has one encoding of a width, and what
// Encode takes, DecodeValue takes.
//
// A rejection says which field was wrong, and the position in x or f (from 0), never what stood
// there. It has is_request set when the message was recognisably a delete, of a later version too.
//
// Any bytes may come: no length is trusted before it is compared with what is there, and memory is
// bounded by eight times the message. Buffers are kept from call to call, in the codec and in the
// event that is filled: a stream of alike events is decoded without allocation. No exception
// escapes. Not thread-safe: each thread has its own.
class BinaryEventCodec {
 public:
  // An event that fits a line of JSON at its limit (1 MiB) needs about half of this.
  static constexpr std::size_t kDefaultMaxBytes = std::size_t{1} << 23;

  explicit BinaryEventCodec(std::size_t max_bytes = kDefaultMaxBytes) : max_bytes_(max_bytes) {}
  BinaryEventCodec(const BinaryEventCodec&) = delete;
  BinaryEventCodec& operator=(const BinaryEventCodec&) = delete;

  // Whether a value is meant as a binary message: no JSON, and no schema prefix, begins like one.
  static bool IsMessage(std::string_view value);

  // Decodes the value of a message. After a rejection `event` is clear.
  [[nodiscard]] std::optional<Rejection> DecodeValue(const std::optional<std::string_view>& value,
                                                     const std::optional<std::string_view>& key,
                                                     Event& event);

  // The same for most learns, of which nothing is copied: id, subject and features stay in the
  // message and key. False: it is another one, or is to be refused, and DecodeValue says which.
  // Numbers may be not finite, which DecodeValue would refuse.
  bool ReadLearnView(std::string_view message, const std::optional<std::string_view>& key,
                     LearnView& plain) const;

  // Appends the message of an event, its subject included. An event that has none (an id that is
  // not UTF-8, a number that its width cannot hold) is a rejection, and nothing is appended.
  [[nodiscard]] std::optional<Rejection> Encode(const Event& event, NumberWidth width,
                                                std::string& out) const;

 private:
  std::optional<Rejection> Read(std::string_view message,
                                const std::optional<std::string_view>& key, Event& event);
  std::optional<Rejection> ReadExample(wire::Cursor& cursor, unsigned flags, Event& event);
  template <typename Number>
  std::optional<Rejection> ReadNumbers(wire::Cursor& cursor, bool named, Event& event);
  template <typename Number>
  std::optional<Rejection> ReadNamed(wire::Cursor& cursor, std::size_t count, Event& event);

  void Put(std::string_view text, std::optional<std::string>& to);
  void Remove(std::optional<std::string>& from);
  void ResizeNamed(std::size_t count, Event& event);
  void Keep(std::string&& buffer);

  const std::size_t max_bytes_;
  std::vector<std::string> spare_;  // buffers of texts that the events at hand do not have
};

// How many numbers of an event are changed by writing them as float32.
std::size_t CountInexactInFloat32(const Event& event);

}  // namespace lethe
