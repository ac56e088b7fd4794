#pragma once

#include <cstdint>
#include <optional>

#include "engine/ports/clock.h"

namespace lethe {

// A progress line on stderr for long work. It shows nothing unless it is wanted, and clears itself
// at the end. The functions may be called as often as the caller likes: they print a few times a
// second. Borrows the clock. Not thread-safe.
class Progress {
 public:
  Progress(bool wanted, Clock& clock) : wanted_(wanted), clock_(clock) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows a share between 0 and 1.
  void ShowShare(double share);
  // Removes the line, so that another line can be printed.
  void Clear();

  // Shows counts, and the share of the bytes if the total is known.
  void Show(std::int64_t events, std::int64_t bytes, std::optional<std::int64_t> total_bytes);

 private:
  bool IsTime();

  bool wanted_;
  Clock& clock_;
  std::int64_t next_ns_ = 0;
  bool shown_ = false;
};

// Whether a person watches stderr.
bool StderrIsTerminal();

}  // namespace lethe
