#include <algorithm>
#include <filesystem>

#include "app/interrupt.h"
#include "app/replay/replay.h"
#include "connectors/file/recorded_stream.h"

namespace lethe {

Result<std::int64_t> PartitionsIn(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::int64_t{1};
  const auto stream = RecordedStream::Open(path);
  if (!stream.ok()) return stream.status();
  std::int64_t partitions = 1;
  std::vector<Record> batch;
  for (;;) {
    const auto count = stream.value()->ReadRecords(batch, 1024);
    if (!count.ok()) return count.status();
    if (count.value() == 0 || stream.value()->is_bare()) return partitions;
    for (std::size_t i = 0; i < count.value(); ++i) {
      partitions = std::max(partitions, batch[i].shard.value + 1);
    }
    if (Interrupted()) return InterruptedStatus("stopped; no results were written");
  }
}

}  // namespace lethe
