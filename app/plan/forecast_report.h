#pragma once

#include <cstdio>
#include <string>

#include "app/plan/forecast.h"

namespace lethe {

// A forecast for a person, and for programs. `file` names the configuration.
void PrintForecast(const std::string& file, const Forecast& forecast, std::FILE* out);
std::string ForecastJson(const Forecast& forecast);

}  // namespace lethe
