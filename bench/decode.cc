// What it costs to decode an event: the binary form against JSON, as the value of a message and out
// of a recorded file.
//
//   ./dev bench decode

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/events.h"
#include "connectors/binary/file_writer.h"
#include "connectors/file/recorded_stream.h"
#include "connectors/json/event_codec.h"

namespace lethe {
namespace {

// White space at the end of JSON leaves the fast way for the usual shape.
enum Shape { kJson, kBinary64, kBinary32, kSpacedJson };
constexpr const char* kFormNames[] = {"json", "float64", "float32", "json, spaced"};

constexpr std::int64_t kMessages = 1024;  // some hundred KB: they stay in the cache of level 2
constexpr std::int64_t kFileRecords = 50'000;

std::string Encode(const Record& record, Shape form) {
  std::string text;
  if (form == kJson || form == kSpacedJson) {
    LETHE_CHECK(!WriteJsonLine(record, true, text));
    if (form == kSpacedJson) text += ' ';
  } else {
    const auto width = form == kBinary32 ? NumberWidth::kFloat32 : NumberWidth::kFloat64;
    LETHE_CHECK(!BinaryEventCodec().Encode(record.event, width, text));
  }
  return text;
}

template <typename Codec>
void DecodeAll(benchmark::State& state, const std::vector<std::string>& messages) {
  Codec codec;
  Event event;
  std::size_t next = 0;
  for (auto _ : state) {
    const auto rejection = codec.DecodeValue(messages[next], std::nullopt, event);
    LETHE_CHECK(!rejection);
    benchmark::DoNotOptimize(event.x.data());
    next = next + 1 == messages.size() ? 0 : next + 1;
  }
}

// One message.
void Message(benchmark::State& state) {
  const auto form = static_cast<Shape>(state.range(0));
  std::vector<std::string> messages;
  std::size_t bytes = 0;
  for (std::int64_t i = 0; i < kMessages; ++i) {
    messages.push_back(Encode(MakeRecord(i, state.range(1)), form));
    bytes += messages.back().size();
  }
  if (form == kJson || form == kSpacedJson) {
    DecodeAll<JsonEventCodec>(state, messages);
  } else {
    DecodeAll<BinaryEventCodec>(state, messages);
  }
  state.SetLabel(kFormNames[form]);
  state.counters["bytes"] = static_cast<double>(bytes / messages.size());
}

std::string WriteFile(Shape form, std::int64_t dimension) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("lethe-bench-" + std::to_string(getpid())))
          .string();
  const auto width = form == kBinary32 ? NumberWidth::kFloat32 : NumberWidth::kFloat64;
  auto writer = form == kJson ? JsonFileWriter::Open(path, true)
                              : BinaryFileWriter::Open(path, {.width = width, .bare = true});
  std::optional<Rejection> refused;
  for (std::int64_t i = 0; i < kFileRecords; ++i) {
    LETHE_CHECK(writer.value()->Write(MakeRecord(i, dimension), refused).ok() && !refused);
  }
  LETHE_CHECK(writer.value()->Close().ok());
  return path;
}

// One record of a plain file in the page cache, with all that a replay does to get it.
void File(benchmark::State& state) {
  const auto form = static_cast<Shape>(state.range(0));
  const std::string path = WriteFile(form, state.range(1));
  std::vector<Record> batch;
  for (auto _ : state) {
    auto stream = RecordedStream::Open(path).value();
    std::size_t records = 0;
    for (std::size_t count = 1; count > 0; records += count) {
      count = stream->ReadRecords(batch, 1024).value();
    }
    LETHE_CHECK(records == static_cast<std::size_t>(kFileRecords));
  }
  state.SetLabel(kFormNames[form]);
  using benchmark::Counter;
  state.counters["per_record"] = Counter(static_cast<double>(state.iterations() * kFileRecords),
                                         Counter::kIsRate | Counter::kInvert);
  state.counters["bytes"] =
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(kFileRecords);
  std::filesystem::remove(path);
}

void Cases(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"form", "d"})->ArgsProduct({{kJson, kBinary64, kBinary32}, {6, 20, 100}});
}

BENCHMARK(Message)->Apply(Cases)->ArgsProduct({{kSpacedJson}, {6, 20, 100}});
BENCHMARK(File)->Apply(Cases)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lethe
