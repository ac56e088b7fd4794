#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/ports/source.h"

namespace lethe {

// Reads another source in a thread of its own, some batches ahead, so that records are decoded
// while earlier ones are learned. Same records, same order.
class ReadAhead final : public Source {
 public:
  // Batches have at most `limit` records. `after_read` runs in the thread after each. The source is
  // not to be used by others meanwhile, and must not block for ever: the destructor waits for it.
  ReadAhead(Source& source, std::size_t limit, std::function<void()> after_read);
  ~ReadAhead() override;

  // The limit is that of the constructor.
  Result<std::size_t> Read(std::vector<Record>& batch, std::size_t limit) override;

 private:
  static constexpr std::size_t kBatches = 4;

  struct Batch {
    std::vector<Record> records;
    Result<std::size_t> count = std::size_t{0};
  };

  void ReadAll();

  Source& source_;
  const std::size_t limit_;
  const std::function<void()> after_read_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Batch> free_{kBatches};
  std::list<Batch> ready_;
  bool is_stopped_ = false;
  std::thread thread_;  // last: it uses all of these
};

}  // namespace lethe
