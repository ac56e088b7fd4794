#pragma once

#include <string>

#include "app/plan/forecast.h"

namespace lethe {

// A recommended change, in words and as lines of configuration.
struct Recommendation {
  std::string text;
  std::string lines;            // YAML; empty: nothing needs to change
  std::string otherwise;        // what to do if payloads may not be kept; may be empty
  std::string otherwise_lines;  // YAML for that; empty: nothing needs to change
};

// Mode rewind, and for those who may not keep payloads mode passive with little noise.
Recommendation Recommend(const Forecast& forecast);

// Figures for a person: "0.31%"; "1.5 GB".
std::string PercentText(double share);
std::string UnitText(double amount, const char* unit);

}  // namespace lethe
