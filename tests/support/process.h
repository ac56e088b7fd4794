#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace lethe::testing {

// A program that was started; its stderr goes to a file, its stdout to another one, named like it
// with .out. Killed when this is destroyed.
class Process {
 public:
  Process(const std::vector<std::string>& command, std::string log_path);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // The exit code, or 128 + the signal that ended it, or -1 if it goes on after `patience`.
  int Wait(std::chrono::milliseconds patience = std::chrono::seconds(60));
  bool IsRunning() { return Wait(std::chrono::milliseconds(0)) == -1; }

  // What it printed so far, without the end of the last line.
  std::string Output() const;
  // What it said so far.
  std::string Log() const;
  // Waits until it has said this.
  bool Says(const std::string& text,
            std::chrono::milliseconds patience = std::chrono::seconds(60)) const;

 private:
  std::string log_path_;
  pid_t pid_ = -1;
  int exit_code_ = -1;
};

}  // namespace lethe::testing
