// Feeds any bytes to the readers of the binary forms and checks what must hold of whatever comes
// out: as a message, with and without a key; if they begin like one, as a recording; and behind a
// 'P' and a count, as the payload of a block whose checksums are right, which no mutation would
// find. A dictionary is in binary_codec_fuzz.dict.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/binary/event_codec.h"
#include "connectors/binary/file_format.h"
#include "connectors/binary/file_reader.h"
#include "connectors/binary/file_writer.h"
#include "connectors/json/event_codec.h"
#include "connectors/json/event_writer.h"
#include "connectors/record_limits.h"
#include "engine/base/check.h"
#include "tests/support/binary_records.h"

namespace lethe {
namespace {

using testing::Describe;

using Key = std::optional<std::string_view>;

bool IsReference(const std::optional<std::string>& text) {
  return !text || (!text->empty() && text->size() <= kMaxIdBytes);
}

void CheckAccepted(const Event& event) {
  LETHE_CHECK(IsReference(event.id));
  LETHE_CHECK(IsReference(event.subject));
  LETHE_CHECK(!event.request || event.request->size() <= kMaxRequestBytes);
  LETHE_CHECK(std::isfinite(event.y) && std::isfinite(event.w));
  LETHE_CHECK(!event.label || event.y == 0);
  for (const double value : event.x) LETHE_CHECK(std::isfinite(value));
  for (const auto& [name, value] : event.named) LETHE_CHECK(std::isfinite(value));
  LETHE_CHECK(event.x.empty() || (event.named.empty() && event.texts.empty()));
  if (event.kind == EventKind::kDelete) {
    LETHE_CHECK(event.id.has_value() != event.subject.has_value());
    LETHE_CHECK(event.x.empty() && event.named.empty() && event.y == 0);
    LETHE_CHECK(!event.label && event.w == 1);
  } else {
    LETHE_CHECK(!event.request);
    LETHE_CHECK(event.kind == EventKind::kLearn || event.id);
  }
}

void CheckRejected(const Rejection& rejection, const Event& event) {
  LETHE_CHECK(rejection.reason < Reason::kCount);
  LETHE_CHECK(!rejection.message.empty() && rejection.message.size() < 120);
  LETHE_CHECK(rejection.reason != Reason::kMissingTarget || rejection.is_request);
  LETHE_CHECK(!event.id && !event.subject && !event.request);
  LETHE_CHECK(event.x.empty() && event.named.empty());
}

std::string Describe(const Event& event) {
  Record record;
  record.event = event;
  return testing::Describe(record);
}

// A codec and an event that see all inputs must not differ from new ones.
class MessageHarness {
 public:
  void Run(std::string_view message, Key key) {
    const auto rejection = used_.DecodeValue(message, key, event_);
    BinaryEventCodec fresh(kMaxBytes);
    Event event;
    const auto again = fresh.DecodeValue(message, key, event);
    LETHE_CHECK(rejection.has_value() == again.has_value());
    if (rejection) {
      CheckRejected(*rejection, event_);
      LETHE_CHECK(rejection->message == again->message);
      CheckPlain(message, key, rejection->reason == Reason::kNotFinite);
      return;
    }
    CheckAccepted(event_);
    LETHE_CHECK(Describe(event_) == Describe(event));
    CheckPlain(message, key, true);
    if (!key) {
      CheckReadBack(message);
      CheckJson();
    }
  }

 private:
  // The fast way takes nothing but what the other one takes, or refuses for a number alone, and
  // sees the same.
  void CheckPlain(std::string_view message, Key key, bool may_be_taken) {
    LearnView learn;
    if (!used_.ReadLearnView(message, key, learn)) return;
    LETHE_CHECK(may_be_taken);
    LETHE_CHECK(learn.x + learn.count * (learn.is_float32 ? 4 : 8) ==
                message.data() + message.size());
    if (event_.x.empty()) return;  // it was refused
    LETHE_CHECK(event_.kind == EventKind::kLearn && event_.named.empty() && event_.texts.empty());
    LETHE_CHECK(event_.id == learn.id && event_.y == learn.y && event_.x.size() == learn.count);
    LETHE_CHECK(event_.w == learn.w && event_.label.has_value() == learn.label.has_value());
    LETHE_CHECK(!learn.label || *event_.label == *learn.label);
    LETHE_CHECK(event_.subject.has_value() == learn.subject.has_value());
    LETHE_CHECK(!learn.subject || *event_.subject == *learn.subject);
    for (std::size_t i = 0; i < learn.count; ++i) {
      const double x = learn.is_float32 ? wire::Load<float>(learn.x + 4 * i)
                                        : wire::Load<double>(learn.x + 8 * i);
      LETHE_CHECK(x == event_.x[i]);
    }
  }

  // An event has one encoding: but for what is ignored, it is what was read.
  void CheckReadBack(std::string_view message) {
    constexpr unsigned kFloat32 = 1, kSubject = 8, kRequest = 16;
    const unsigned flags = static_cast<unsigned char>(message[3]);
    const auto width = (flags & kFloat32) != 0 ? NumberWidth::kFloat32 : NumberWidth::kFloat64;
    std::string out;
    LETHE_CHECK(!used_.Encode(event_, width, out));
    const bool is_delete = event_.kind == EventKind::kDelete;
    const bool has_ignored =
        is_delete ? (flags & kSubject) != 0 && event_.id : (flags & kRequest) != 0;
    LETHE_CHECK(has_ignored ? out.size() < message.size() : out == message);
  }

  // JSON says the same, bit for bit.
  void CheckJson() {
    Record record, back;
    record.event = event_;
    std::string line;
    LETHE_CHECK(!WriteJsonLine(record, true, line));
    json_.DecodeLine(line, back);
    LETHE_CHECK(!back.rejection);
    LETHE_CHECK(Describe(back.event) == Describe(event_));
  }

  // Below what libFuzzer makes, so that the limit is met too.
  static constexpr std::size_t kMaxBytes = 3000;

  BinaryEventCodec used_{kMaxBytes};
  JsonEventCodec json_;
  Event event_;
};

void CheckPlace(const Record& record) {
  LETHE_CHECK(record.shard.value >= 0 && record.shard.value <= kMaxPartition);
  LETHE_CHECK(record.offset.value >= 0 && record.offset.value <= kMaxOffset);
  LETHE_CHECK(record.timestamp >= kNoTime && record.timestamp.value <= kMaxTimeMs);
}

// Reads a recording to its end or its error. Returns whether there was none.
bool ReadFile(const std::string& bytes, std::size_t piece, std::vector<Record>& records) {
  constexpr std::size_t kBufferBytes = 64;  // so that it has to grow and to move
  BinaryFileReader reader(std::make_unique<DecodedInput>(
      "file", std::make_unique<testing::MemoryDecoder>(bytes, piece), kBufferBytes));
  for (;;) {
    Record record;
    const auto found = reader.Next(record);
    if (!found.ok()) {
      LETHE_CHECK(found.status().code() == ErrorCode::kInput);
      LETHE_CHECK(found.status().message().starts_with("file"));
      return false;
    }
    if (!found.value()) return true;
    CheckPlace(record);
    if (!record.rejection) CheckAccepted(record.event);
    records.push_back(std::move(record));
    LETHE_CHECK(reader.record_number() == records.size());
  }
}

void RunFile(const std::string& bytes) {
  std::vector<Record> records, again;
  const bool whole = ReadFile(bytes, bytes.size() + 1, records);
  LETHE_CHECK(ReadFile(bytes, 1 + bytes.size() % 13, again) == whole);
  LETHE_CHECK(again.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    LETHE_CHECK(Describe(records[i]) == Describe(again[i]));
  }
}

// A recording of one block, complete but for what the payload gets wrong.
std::string FileOfPayload(std::string_view payload, std::uint32_t count) {
  std::string bytes;
  binary_file::AppendHeader({}, bytes);
  binary_file::AppendBlock({static_cast<std::uint32_t>(payload.size()), count, 0}, payload, bytes);
  binary_file::AppendFooter(count, bytes);
  return bytes;
}

void RunPayload(std::string_view payload, std::uint32_t count) {
  std::vector<Record> records, again;
  const std::string bytes = FileOfPayload(payload, count);
  if (!ReadFile(bytes, bytes.size(), records)) return;
  LETHE_CHECK(records.size() == count);
  // What was read can be written, and is read back the same.
  BinaryFileEncoder encoder({});
  std::string written;
  for (const Record& record : records) {
    LETHE_CHECK(encoder.Add(record, written).has_value() == record.rejection.has_value());
  }
  encoder.Finish(written);
  LETHE_CHECK(ReadFile(written, written.size(), again));
  std::size_t next = 0;
  for (const Record& record : records) {
    if (!record.rejection) LETHE_CHECK(Describe(record) == Describe(again[next++]));
  }
  LETHE_CHECK(next == again.size());
}

}  // namespace
}  // namespace lethe

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static lethe::MessageHarness messages;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  messages.Run(bytes, std::nullopt);
  messages.Run(bytes, bytes.substr(0, size % 7));
  if (bytes.starts_with("\xb1L")) lethe::RunFile(std::string(bytes));
  if (bytes.starts_with('P') && size > 2) lethe::RunPayload(bytes.substr(2), data[1]);
  return 0;
}
