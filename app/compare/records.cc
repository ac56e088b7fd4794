#include "app/compare/records.h"

#include "app/interrupt.h"
#include "connectors/file/recorded_stream.h"

namespace lethe {

Result<std::vector<Record>> ReadRecords(const std::string& path, std::int64_t most) {
  auto stream = RecordedStream::Open(path);
  if (!stream.ok()) return stream.status();
  std::vector<Record> records;
  std::vector<Record> batch;
  std::int64_t learns = 0;
  while (true) {
    const auto count = stream.value()->ReadRecords(batch, 4096);
    if (!count.ok()) return count.status();
    if (count.value() == 0) return records;
    if (Interrupted()) return InterruptedStatus("stopped while reading " + path);
    for (std::size_t i = 0; i < count.value(); ++i) {
      learns += batch[i].event.kind != EventKind::kDelete ? 1 : 0;
      if (learns > most) return records;
      records.push_back(batch[i]);
    }
  }
}

}  // namespace lethe
