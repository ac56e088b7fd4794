#include "app/progress.h"

#include <unistd.h>

#include <cstdio>

namespace lethe {
namespace {

constexpr std::int64_t kEveryNs = 200'000'000;

}  // namespace

bool StderrIsTerminal() { return isatty(STDERR_FILENO) == 1; }

Progress::~Progress() { Clear(); }

void Progress::Clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

bool Progress::IsTime() {
  if (!wanted_) return false;
  const std::int64_t now = clock_.MonotonicNs();
  if (now < next_ns_) return false;
  next_ns_ = now + kEveryNs;
  shown_ = true;
  return true;
}

void Progress::ShowShare(double share) {
  if (IsTime()) std::fprintf(stderr, "\r%3.0f%%", 100 * share);
}

void Progress::Show(std::int64_t events, std::int64_t bytes,
                    std::optional<std::int64_t> total_bytes) {
  if (!IsTime()) return;
  if (total_bytes && *total_bytes > 0) {
    const double share = static_cast<double>(bytes) / static_cast<double>(*total_bytes);
    std::fprintf(stderr, "\r%3.0f%%  %lld events", 100 * share, static_cast<long long>(events));
  } else {
    std::fprintf(stderr, "\r%lld events", static_cast<long long>(events));
  }
}

}  // namespace lethe
