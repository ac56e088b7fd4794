#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace lethe::testing {

// A child process. Its stderr goes to the file `log_path`, its stdout to that name with .out. The
// destructor kills it.
class Process {
 public:
  Process(const std::vector<std::string>& command, std::string log_path);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // The exit code, or 128 + the signal that ended it, or -1 if it still runs after `patience`.
  int Wait(std::chrono::milliseconds patience = std::chrono::seconds(60));
  bool IsRunning() { return Wait(std::chrono::milliseconds(0)) == -1; }

  // Its stdout so far, without the last newline.
  std::string Output() const;
  // Its stderr so far.
  std::string Log() const;
  // Waits until its stderr has this text. False if the text does not come within `patience`.
  bool Says(const std::string& text,
            std::chrono::milliseconds patience = std::chrono::seconds(60)) const;

 private:
  std::string log_path_;
  pid_t pid_ = -1;
  int exit_code_ = -1;
};

}  // namespace lethe::testing
