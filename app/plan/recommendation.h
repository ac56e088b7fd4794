#pragma once

#include <string>

#include "app/plan/forecast.h"

namespace lethe {

// What to do, in words, and the lines of configuration that do it.
struct Recommendation {
  std::string text;
  std::string lines;      // YAML; empty: nothing needs to change
  std::string otherwise;  // for whoever cannot wait; may be empty
};

Recommendation Recommend(const Forecast& forecast);

// For a person: "0.31%"; "1.5 GB".
std::string PercentText(double share);
std::string UnitText(double amount, const char* unit);

}  // namespace lethe
