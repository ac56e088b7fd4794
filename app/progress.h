#pragma once

#include <cstdint>
#include <optional>

#include "engine/ports/clock.h"

namespace lethe {

// A line on stderr that tells how far long work has come. It shows nothing unless it is wanted (a
// person at a terminal), and clears itself at the end.
class Progress {
 public:
  Progress(bool wanted, Clock& clock) : wanted_(wanted), clock_(clock) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void ShowShare(double share);
  // Takes the line away, so that something else can be printed.
  void Clear();

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
