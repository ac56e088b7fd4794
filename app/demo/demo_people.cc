#include "app/demo/demo_people.h"

#include <algorithm>
#include <iterator>

namespace lethe {
namespace {

constexpr std::size_t kHere = 40;
constexpr const char* kNames[] = {
    "ada",   "amara",  "bela",    "boris", "carmen", "chidi", "dana",  "dmitri", "elif",   "emil",
    "farah", "felix",  "grace",   "goran", "hana",   "hugo",  "ines",  "ivan",   "jun",    "julia",
    "kofi",  "keiko",  "lars",    "leila", "mateo",  "mira",  "nadia", "noor",   "olga",   "omar",
    "paulo", "petra",  "quentin", "rosa",  "ravi",   "sanna", "tariq", "tomoko", "ursula", "uri",
    "vera",  "viktor", "wanda",   "wen",   "xenia",  "yusuf", "yara",  "zoltan"};

}  // namespace

DemoPeople::DemoPeople() {
  while (here_.size() < kHere) Welcome();
}

void DemoPeople::Welcome() {
  const std::size_t round = come_ / std::size(kNames);
  std::string name = kNames[come_ % std::size(kNames)];
  if (round > 0) name += "-" + std::to_string(round + 1);
  ++come_;
  here_.push_back(std::move(name));
}

std::string DemoPeople::Any(SplitMix& random) const {
  const std::lock_guard lock(mutex_);
  return here_[static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(here_.size())))];
}

void DemoPeople::Leave(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(here_.begin(), here_.end(), name);
  if (found == here_.end()) return;
  here_.erase(found);
  Welcome();
}

std::vector<std::string> DemoPeople::names() const {
  const std::lock_guard lock(mutex_);
  return here_;
}

}  // namespace lethe
