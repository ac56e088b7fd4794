#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace lethe::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause{2};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Process::Process(const std::vector<std::string>& command, std::string log_path)
    : log_path_(std::move(log_path)) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  const int log = open(log_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int out = open((log_path_ + ".out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Process::~Process() {
  if (exit_code_ != -1) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Process::Signal(int signal) const {
  if (exit_code_ == -1) kill(pid_, signal);
}

int Process::Wait(milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  while (exit_code_ == -1) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (steady_clock::now() >= deadline) {
      return -1;
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
  return exit_code_;
}

std::string Process::Log() const { return ReadFile(log_path_); }

std::string Process::Output() const {
  std::string text = ReadFile(log_path_ + ".out");
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool Process::Says(const std::string& text, milliseconds patience) const {
  const auto deadline = steady_clock::now() + patience;
  while (Log().find(text) == std::string::npos) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace lethe::testing
