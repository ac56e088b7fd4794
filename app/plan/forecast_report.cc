#include "app/plan/forecast_report.h"

#include <string>

#include "app/plan/recommendation.h"
#include "engine/shard/config_warnings.h"

namespace lethe {
namespace {

constexpr std::size_t kColumns = 100;

long long Long(std::int64_t x) { return x; }

// Prints `text` wrapped into lines that begin with `indent`.
void PrintWrapped(const std::string& text, const char* indent, std::FILE* out) {
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column + 1 + end - begin > kColumns) {
      std::fputc('\n', out);
      column = 0;
    }
    const char* before = column == 0 ? indent : " ";
    column += static_cast<std::size_t>(
        std::fprintf(out, "%s%.*s", before, static_cast<int>(end - begin), text.data() + begin));
    begin = end + 1;
  }
  std::fputc('\n', out);
}

void PrintLines(const std::string& lines, std::FILE* out) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    std::fprintf(out, "    %s\n", lines.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

void PrintHead(const std::string& file, const Forecast& forecast, std::FILE* out) {
  const Plan& plan = forecast.plan;
  const Constants& c = plan.constants;
  const Promise served = forecast.served();
  const bool is_exact = forecast.refused.empty() && plan.mode->is_exact;
  std::fprintf(out, "%s: mode %s, %sguarantee %s, epsilon %.6g at delta %.3g%s\n", file.c_str(),
               forecast.mode.c_str(), is_exact ? "exact (" : "",
               Name(plan.spec.forgetting.guarantee), served.epsilon, served.delta,
               is_exact ? " in other modes)" : "");
  if (plan.shards > 1) {
    std::fprintf(out, "  shards       %lld: mu %.6g of what is served, mu %.6g of each shard\n",
                 Long(plan.shards), served.mu, plan.budget.mu);
  }
  const auto why_not = plan.WhyNotCertified();
  if (!forecast.refused.empty()) {
    PrintWrapped("refused: " + forecast.refused, "  ", out);
  } else {
    std::fprintf(out, "  certified    %s\n", why_not.empty() ? "yes" : "no");
    for (const std::string& reason : why_not) PrintWrapped("- " + reason, "    ", out);
  }
  for (const std::string& warning : Warnings(plan)) PrintWrapped("warning: " + warning, "  ", out);
  std::fprintf(out,
               "  constants    G %.6g  L %.6g  beta %.6g  lambda %.6g  radius %.6g  weights %lld\n",
               c.G, c.L, c.beta, c.mu, c.radius, Long(forecast.dimension));
  if (!plan.schedule.is_public()) {
    const LearningSpec& learning = plan.spec.learning;
    const bool is_per_feature = learning.update != UpdateKind::kSgd;
    std::fprintf(out,
                 "  step size    %s, which depends on the data (learning.eta is its scale)\n"
                 "In mode passive, with lambda %.6g:\n",
                 is_per_feature ? Name(learning.update) : Name(learning.schedule),
                 forecast.noise_plan.constants.mu);
  }
  std::fprintf(out,
               "  step size    %.6g after %lld events, schedule %s (learning.eta is its scale)\n",
               forecast.step, Long(forecast.events), Name(forecast.noise_plan.schedule.kind()));
  std::fprintf(
      out,
      "  contraction  %.6g per event: half of an event's influence is gone after %.3g events\n",
      forecast.contraction, forecast.half_life);
  std::fprintf(out,
               "  rounding     F %.3g: as far apart as round-off may keep two worlds for ever\n",
               forecast.round_off);
}

void PrintAges(const Forecast& forecast, std::FILE* out) {
  std::fprintf(
      out,
      "\nDeleting one event in mode passive, after %lld events, as the first deletion: the "
      "noise, its norm\nas a part of the radius, how much of it hides rounding, and the norm "
      "when the deletion may wait\n\n",
      Long(forecast.events));
  std::fprintf(out, "  %9s  %10s  %9s  %9s", "age", "sigma", "of radius", "rounding");
  for (const std::int64_t wait : forecast.waits) {
    const bool is_configured = wait == forecast.configured_wait;
    std::fprintf(out, "  %12s",
                 ((is_configured ? "*wait " : "wait ") + std::to_string(wait)).c_str());
  }
  std::fputc('\n', out);
  for (const AgeForecast& row : forecast.ages) {
    std::fprintf(out, "  %9lld  %10.3g  %9s  %9s", Long(row.age), row.at_once.sigma,
                 PercentText(row.at_once.share).c_str(), PercentText(row.rounding).c_str());
    for (const NoiseForecast& noise : row.waited) {
      std::fprintf(out, "  %12s", PercentText(noise.share).c_str());
    }
    std::fputc('\n', out);
  }
  if (forecast.configured_wait) std::fprintf(out, "  * configured\n");
}

// The head of the table of ways that keep payloads, whose rows have the same widths.
void PrintWorkHead(std::FILE* out) {
  std::fprintf(out, "  %-7s  %9s  %9s  %8s  %8s  %14s  %11s\n", "mode", "sigma", "of radius",
               "window", "memory", "ms a deletion", "a second");
}

void PrintRewind(const char* name, const RewindForecast& rewind, std::FILE* out) {
  if (!rewind.refused.empty()) {
    PrintWrapped(std::string(name) + " is refused: " + rewind.refused, "  ", out);
    return;
  }
  std::fprintf(
      out, "  %-7s  %9s  %9s  %8s  %8s  %14s  %11s\n", name, "0", "0%", WindowText(rewind).c_str(),
      UnitText(rewind.bytes, "B").c_str(),
      (ShortText(rewind.any_age.ms) + " / " + ShortText(rewind.recent.ms)).c_str(),
      (ShortText(rewind.any_age.per_second) + " / " + ShortText(rewind.recent.per_second)).c_str());
}

void PrintActive(const WorkForecast& work, std::FILE* out) {
  if (!work.refused.empty()) {
    PrintWrapped("active is refused: " + work.refused, "  ", out);
    return;
  }
  std::fprintf(out, "  %-7s  %9.3g  %9s  %8s  %8s  %14s  %11s\n", "active", work.noise.sigma,
               PercentText(work.noise.share).c_str(), "all", UnitText(work.bytes, "B").c_str(),
               ShortText(1000 * work.flops / kFlopsPerSecond).c_str(), "-");
}

void PrintWork(const Forecast& forecast, std::FILE* out) {
  std::fprintf(out,
               "\nWith the payloads of retained events kept: a deletion of an event of any age / "
               "of one of the last %lld\nevents, and how many a second are served one by one, in "
               "a fifth of the time; more share one\n\n",
               Long(kRecentEvents));
  PrintWorkHead(out);
  PrintRewind("rewind", forecast.rewind, out);
  PrintRewind("retrain", forecast.rewind_all, out);
  PrintActive(forecast.active, out);
  if (!forecast.rewind.refused.empty()) return;
  std::fputc('\n', out);
  PrintWrapped("rewind: " + WindowSentence(forecast.rewind), "  ", out);
  PrintWrapped("retrain and active: after " + std::to_string(forecast.events) +
                   " events; both grow with the stream",
               "  ", out);
}

}  // namespace

void PrintForecast(const std::string& file, const Forecast& forecast, std::FILE* out) {
  PrintHead(file, forecast, out);
  PrintWork(forecast, out);
  PrintAges(forecast, out);
  const Recommendation recommendation = Recommend(forecast);
  std::fprintf(out, "\nRecommendation\n\n");
  PrintWrapped(recommendation.text, "  ", out);
  if (!recommendation.lines.empty()) {
    std::fputc('\n', out);
    PrintLines(recommendation.lines, out);
  }
  if (recommendation.otherwise.empty()) return;
  std::fputc('\n', out);
  PrintWrapped(recommendation.otherwise, "  ", out);
  if (recommendation.otherwise_lines.empty()) return;
  std::fputc('\n', out);
  PrintLines(recommendation.otherwise_lines, out);
}

}  // namespace lethe
