#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/binary/file_reader.h"
#include "connectors/binary/file_writer.h"
#include "connectors/file/decoded_input.h"
#include "engine/base/check.h"
#include "engine/ports/event.h"

namespace lethe::testing {

// A decoder of bytes in memory, which returns them in pieces of at most `piece` bytes.
class MemoryDecoder final : public Decoder {
 public:
  explicit MemoryDecoder(std::string bytes, std::size_t piece = 1000)
      : bytes_(std::move(bytes)), piece_(piece) {}

  Result<std::size_t> Read(std::span<char> out) override {
    const std::size_t count = std::min({out.size(), piece_, bytes_.size() - position_});
    std::memcpy(out.data(), bytes_.data() + position_, count);
    position_ += count;
    return count;
  }

 private:
  const std::string bytes_;
  const std::size_t piece_;
  std::size_t position_ = 0;
};

inline Event Learn(std::optional<std::string> id, std::vector<double> x, double y) {
  Event event;
  event.id = std::move(id);
  event.x = std::move(x);
  event.y = y;
  return event;
}

inline Event Delete(std::optional<std::string> id, std::optional<std::string> subject) {
  Event event;
  event.kind = EventKind::kDelete;
  event.id = std::move(id);
  event.subject = std::move(subject);
  return event;
}

inline Record At(std::int64_t shard, std::int64_t offset, std::int64_t timestamp, Event event) {
  Record record;
  record.shard.value = shard;
  record.offset.value = offset;
  record.timestamp.value = timestamp;
  record.event = std::move(event);
  return record;
}

// All fields of a record as text, for comparison. Numbers are written by their bits.
inline std::string Describe(const Record& record) {
  std::string text = std::to_string(record.shard.value) + "/" +
                     std::to_string(record.offset.value) + "@" +
                     std::to_string(record.timestamp.value);
  if (record.arrival != kNoTime) text += "," + std::to_string(record.arrival.value);
  if (record.is_broker_time) text += " of the broker";
  if (record.rejection) return text + " rejected: " + record.rejection->message;
  const auto add_number = [&text](double number) {
    text += " " + std::to_string(std::bit_cast<std::uint64_t>(number));
  };
  const Event& event = record.event;
  text += " kind " + std::to_string(static_cast<int>(event.kind));
  if (event.is_replaced) text += " replaced";
  for (const auto& part : {event.id, event.subject, event.request}) {
    text += part ? " '" + *part + "'" : " -";
  }
  add_number(event.y);
  if (event.label) text += " label '" + *event.label + "'";
  add_number(event.w);
  text += " x";
  for (const double value : event.x) add_number(value);
  text += " f";
  for (const auto& [name, value] : event.named) {
    text += " '" + name + "'";
    add_number(value);
  }
  for (const auto& [name, value] : event.texts) text += " '" + name + "' '" + value + "'";
  return text;
}

inline std::string EncodeFile(const std::vector<Record>& records, BinaryFileOptions options = {}) {
  BinaryFileEncoder encoder(options);
  std::string bytes;
  for (const Record& record : records) LETHE_CHECK(!encoder.Add(record, bytes));
  encoder.Finish(bytes);
  return bytes;
}

struct FileOutcome {
  std::vector<std::string> records;
  Status status;
};

inline FileOutcome ReadOn(BinaryFileReader& reader) {
  FileOutcome outcome;
  Record record;
  for (;;) {
    const auto found = reader.Next(record);
    if (!found.ok()) outcome.status = found.status();
    if (!found.ok() || !found.value()) return outcome;
    outcome.records.push_back(Describe(record));
  }
}

inline FileOutcome ReadBytes(const std::string& bytes, std::size_t piece = 1000) {
  BinaryFileReader reader(
      std::make_unique<DecodedInput>("file", std::make_unique<MemoryDecoder>(bytes, piece)));
  return ReadOn(reader);
}

inline std::vector<std::string> DescribeAll(const std::vector<Record>& records) {
  std::vector<std::string> all;
  for (const Record& record : records) all.push_back(Describe(record));
  return all;
}

inline std::vector<Record> SomeRecords() {
  std::vector<Record> records = {At(0, 12, 1'700'000'000'000, Learn("e-81", {0.5, -0.25}, 1)),
                                 At(3, 0, 0, Learn({}, {1, 2, 3}, -1)),
                                 At(0, 13, kNoTime.value, Delete({}, "user-7"))};
  records[0].event.subject = "user-7";
  records[2].event.request = "rtbf-2291";
  return records;
}

// Records of about 1 KB, so that there are several blocks.
inline std::vector<Record> ManyRecords(std::int64_t count) {
  std::vector<Record> records;
  for (std::int64_t i = 0; i < count; ++i) {
    records.push_back(
        At(0, i, i, Learn("e-" + std::to_string(i), std::vector<double>(128, 0.5 * i), 1)));
  }
  return records;
}

}  // namespace lethe::testing
