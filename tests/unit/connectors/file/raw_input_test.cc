// What happens to a read that waits when a signal comes.

#include "connectors/file/raw_input.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "connectors/file/line_reader.h"
#include "connectors/file/recorded_stream.h"

namespace lethe::raw_input_test {
namespace {

// A pipe that nobody writes to, and a signal that comes again and again.
class SilentPipe : public ::testing::Test {
 protected:
  SilentPipe() {
    EXPECT_EQ(pipe(ends_), 0);
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, &before_);
    const itimerval every = {{0, 20'000}, {0, 20'000}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  ~SilentPipe() override {
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
    close(ends_[0]);
    close(ends_[1]);
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }

  int ends_[2] = {-1, -1};
  struct sigaction before_ = {};
};

TEST_F(SilentPipe, AReadThatASignalEndsIsInterrupted) {
  auto input = RawInput::Open(path());
  ASSERT_TRUE(input.ok());
  const Status status = input.value()->Fill();
  EXPECT_EQ(status.code(), ErrorCode::kInterrupted);
  EXPECT_EQ(status.message(), "interrupted while reading " + path());
  EXPECT_FALSE(input.value()->at_end());
}

TEST_F(SilentPipe, ReadersPassTheInterruptionOn) {
  auto lines = LineReader::Open(path());
  LineReader::Line line;
  EXPECT_EQ(lines.value()->Next(line).status().message(), "interrupted while reading " + path());
  auto stream = RecordedStream::Open(path());
  std::vector<Record> batch;
  EXPECT_EQ(stream.value()->ReadRecords(batch, 10).status().code(), ErrorCode::kInterrupted);
  ASSERT_EQ(write(ends_[1], "\xb1LETHE\r\n", 8), 8);
  stream = RecordedStream::Open(path());
  EXPECT_EQ(stream.value()->ReadRecords(batch, 10).status().code(), ErrorCode::kInterrupted);
  EXPECT_TRUE(stream.value()->is_binary());
}

}  // namespace
}  // namespace lethe::raw_input_test
