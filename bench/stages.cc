// What an event costs on its way from a file into the state, stage by stage: read, decode and
// check, learn, remember. Processor time of the whole process for all events of the file; a stage
// is what it takes more than the one before it. And what a deletion costs, until it is durable.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/replay/replay.h"
#include "bench/shard_bed.h"
#include "connectors/binary/file_writer.h"
#include "connectors/file/line_reader.h"
#include "connectors/file/recorded_stream.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {
namespace {

// LETHE_BENCH_EVENTS makes streams shorter, to see whether all of it works.
std::int64_t Events(std::int64_t dimension) {
  const char* events = std::getenv("LETHE_BENCH_EVENTS");
  return events != nullptr  ? std::atoll(events)
         : dimension <= 100 ? 1'200'000
                            : 120'000'000 / dimension;
}

// A file, made once and removed at the end.
class StreamFile {
 public:
  StreamFile(Form form, std::int64_t dimension)
      : path_((std::filesystem::temp_directory_path() /
               ("lethe-stages-" + std::to_string(getpid()) + "-" +
                std::to_string(static_cast<int>(form)) + "-" + std::to_string(dimension)))
                  .string()) {
    auto writer = form == Form::kJson ? JsonFileWriter::Open(path_, true)
                                      : BinaryFileWriter::Open(
                                            path_, {.width = NumberWidth::kFloat32, .bare = true});
    std::optional<Rejection> refused;
    for (std::int64_t i = 0; i < Events(dimension); ++i) {
      LETHE_CHECK(writer.value()->Write(MakeRecord(i, dimension), refused).ok() && !refused);
    }
    LETHE_CHECK(writer.value()->Close().ok());
  }
  ~StreamFile() { std::filesystem::remove(path_); }
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  static const std::string& Of(Form form, std::int64_t dimension) {
    static std::map<std::pair<Form, std::int64_t>, std::unique_ptr<StreamFile>> files;
    auto& file = files[{form, dimension}];
    if (!file) file = std::make_unique<StreamFile>(form, dimension);
    return file->path_;
  }

 private:
  const std::string path_;
};

void Read(const std::string& path, Form form) {
  if (form == Form::kJson) {
    auto lines = LineReader::Open(path).value();
    LineReader::Line line;
    while (lines->Next(line).value()) benchmark::DoNotOptimize(line.text.data());
    return;
  }
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (read(file, buffer.data(), buffer.size()) > 0) benchmark::DoNotOptimize(buffer.data());
  close(file);
}

ModelSpec Model(std::int64_t dimension) {
  ModelSpec model;
  model.dimension = dimension;
  return model;
}

// The way of a replay, in one thread: batch by batch, decoded and admitted; `take` gets each batch.
template <typename Take>
void Decode(const std::string& path, std::int64_t dimension, const Admission& admission,
            const Take& take) {
  auto stream = RecordedStream::Open(path).value();
  Spec spec;
  spec.model = Model(dimension);
  stream->SetBatchSize(ReplayBatchSize(spec));
  MessageBatch batch;
  batch.admissions().emplace(ShardId{0}, admission);
  while (stream->Read(batch).value()) {
    batch.Admit();
    LETHE_CHECK(stream->Locate(batch).ok());
    take(batch);
  }
}

// Steps with their ledger, and the loss that is shown; no memory of which events were learned.
void Learn(const std::string& path, std::int64_t dimension, const Admission& admission) {
  Spec spec;
  spec.model = Model(dimension);
  spec.forgetting.mode = "passive";
  const Plan plan = Plan::Make(spec).value();
  SeededRandom random(1);
  MemoryPayloads payloads;
  const auto learner = MakeUnlearner(plan, {0}, random, payloads);
  LiveProbe probe(plan);
  Decode(path, dimension, admission, [&](const MessageBatch& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Example& example = LearnIn(batch.item(i))->example;
      const double squared_norm = learner->SquaredNorm();
      const Prediction prediction = learner->Learn(example);
      probe.OnLearn({0}, {{batch.position(i).offset.value}, prediction, squared_norm, example});
    }
  });
}

// All of it, exactly once and on disk, up to files that need no log any more.
void Remember(const std::string& path, std::int64_t dimension, ShardBed& bed) {
  bed.Reserve(Events(dimension));
  ShardLoop& loop = bed.loop();
  Decode(path, dimension, bed.NewAdmission(), [&](MessageBatch& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      loop.Prefetch(batch, i + Shard::kPrefetchAhead);
      LETHE_CHECK(loop.Take(batch, i, kNoTime).ok() && loop.CommitIfDue(false).ok());
    }
  });
  bed.Commit();
  bed.Flush();
}

enum Stage { kRead, kDecode, kLearn, kRemember };

void BM_Stage(benchmark::State& state) {
  const auto form = static_cast<Form>(state.range(0));
  const std::int64_t dimension = state.range(1);
  const std::string& path = StreamFile::Of(form, dimension);
  ShardBed bed("passive", dimension);  // opening one is no cost of an event
  for (auto _ : state) {
    switch (state.range(2)) {
      case kRead: Read(path, form); break;
      case kDecode: Decode(path, dimension, bed.NewAdmission(), [](MessageBatch&) {}); break;
      case kLearn: Learn(path, dimension, bed.NewAdmission()); break;
      default: Remember(path, dimension, bed);
    }
  }
  state.counters["events"] = static_cast<double>(Events(dimension));
}

void BM_Delete(benchmark::State& state) {
  ShardBed bed("passive", state.range(0));
  const std::int64_t events = std::min<std::int64_t>(20'000, Events(state.range(0)));
  bed.Learn(events);
  bed.Commit();
  std::int64_t next = 0;
  for (auto _ : state) {
    bed.Delete(next++ * 7919 % events);
    state.PauseTiming();
    bed.Learn(100);
    state.ResumeTiming();
  }
}

BENCHMARK(BM_Stage)
    ->ArgNames({"form", "d", "stage"})
    ->ArgsProduct({{static_cast<std::int64_t>(Form::kJson),
                    static_cast<std::int64_t>(Form::kFloat32)},
                   {6, 20, 100, 1000},
                   {kRead, kDecode, kLearn, kRemember}})
    ->Iterations(1)
    ->Unit(benchmark::kNanosecond)
    ->MeasureProcessCPUTime();
BENCHMARK(BM_Delete)
    ->ArgName("d")
    ->Arg(6)
    ->Arg(20)
    ->Arg(100)
    ->Arg(1000)
    ->Iterations(50)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lethe
