#include "app/progress.h"

#include <unistd.h>

#include <cstdio>

namespace lethe {
namespace {

constexpr std::int64_t kEveryNs = 200'000'000;

}  // namespace

bool StderrIsTerminal() { return isatty(STDERR_FILENO) == 1; }

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Show(std::int64_t events, std::int64_t bytes,
                    std::optional<std::int64_t> total_bytes) {
  if (!wanted_) return;
  const std::int64_t now = clock_.MonotonicNs();
  if (now < next_ns_) return;
  next_ns_ = now + kEveryNs;
  shown_ = true;
  if (total_bytes && *total_bytes > 0) {
    std::fprintf(stderr, "\r%3.0f%%  %lld events", 100.0 * static_cast<double>(bytes) / static_cast<double>(*total_bytes),
                 static_cast<long long>(events));
  } else {
    std::fprintf(stderr, "\r%lld events", static_cast<long long>(events));
  }
}

}  // namespace lethe
