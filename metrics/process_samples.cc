#include "metrics/process_samples.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lethe {
namespace {

// Fields of /proc/self/stat, counted as proc(5) does.
constexpr int kUserTicks = 14;
constexpr int kSystemTicks = 15;
constexpr int kStartTicks = 22;
constexpr int kResidentPages = 24;

// The number of the first field that ReadStat returns. The fields before it hold the name of the
// program, which may contain spaces.
constexpr int kFirstField = 3;

// The fields of /proc/self/stat from kFirstField on; empty if it cannot be read. The state, a
// letter, is returned as 0.
std::vector<double> ReadStat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return {};
  // After the name come a blank, the state (a letter), another blank, and numbers.
  std::istringstream rest(line.substr(name_end + 4));
  std::vector<double> fields = {0};
  for (double field = 0; rest >> field;) fields.push_back(field);
  return fields;
}

// The time of boot in seconds since 1970, or 0 if it is unknown.
double BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

}  // namespace

void AddProcess(Families& families) {
  const std::vector<double> stat = ReadStat();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (stat.size() > kResidentPages - kFirstField && ticks > 0) {
    // Rounded up to whole seconds: a finer figure would reveal how long a deletion took to compute,
    // which depends on data.
    const double used = stat[kUserTicks - kFirstField] + stat[kSystemTicks - kFirstField];
    families.Add("process_cpu_seconds_total", {}, std::ceil(used / ticks));
    families.Add("process_resident_memory_bytes", {},
                 stat[kResidentPages - kFirstField] * static_cast<double>(sysconf(_SC_PAGESIZE)));
    if (const double boot = BootTime(); boot > 0) {
      families.Add("process_start_time_seconds", {},
                   boot + stat[kStartTicks - kFirstField] / ticks);
    }
  }
  std::error_code error;
  std::size_t open = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++open;
  }
  // Reading the folder takes a descriptor too.
  if (!error && open > 0) families.Add("process_open_fds", {}, static_cast<double>(open - 1));
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    families.Add("process_max_fds", {}, static_cast<double>(files.rlim_cur));
  }
}

}  // namespace lethe
