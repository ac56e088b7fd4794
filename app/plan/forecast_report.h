#pragma once

#include <cstdio>
#include <string>

#include "app/plan/forecast.h"

namespace lethe {

// The forecast as text and as JSON. `file` names the configuration.
void PrintForecast(const std::string& file, const Forecast& forecast, std::FILE* out);
std::string ForecastJson(const Forecast& forecast);

}  // namespace lethe
