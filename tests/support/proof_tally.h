#pragma once

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_linear.h"

namespace lethe::proof {

// The closed form is evaluated in long double; its own rounding adds at most this much.
inline constexpr double kSlack = 1e-12;

// The worst ratio exact/certified of each kind of run, for the one line that a test prints.
class Tally {
 public:
  void Add(const LinearRun& run, const std::vector<double>& ratios) {
    const ForgettingSpec& forgetting = run.script.plan().spec.forgetting;
    double& worst = worst_[std::string(Name(forgetting.guarantee)) + "/" + Name(forgetting.split)];
    for (const double ratio : ratios) worst = std::max(worst, ratio);
    ++runs_;
    deletions_ += ratios.size();
  }

  int runs() const { return runs_; }
  const std::map<std::string, double>& worst() const { return worst_; }

  void Print(const char* what) const {
    std::cout << "[ exact    ] " << what << ": " << runs_ << " runs, " << deletions_
              << " deletions; worst exact/certified:";
    for (const auto& [kind, ratio] : worst_) {
      char text[32];
      std::snprintf(text, sizeof text, "%.8f", ratio);
      std::cout << " " << kind << " " << text;
      ::testing::Test::RecordProperty(kind, text);
    }
    std::cout << std::endl;
  }

 private:
  std::map<std::string, double> worst_;
  int runs_ = 0;
  std::size_t deletions_ = 0;
};

}  // namespace lethe::proof
