#include "app/replay/report.h"

#include <cmath>

#include "app/replay/remedies.h"

namespace lethe {
namespace {

long long Long(std::int64_t x) { return x; }

void PrintRejected(const Counters& counters, std::FILE* out) {
  for (std::size_t i = 0; i < counters.rejected.size(); ++i) {
    if (counters.rejected[i] == 0) continue;
    const auto reason = static_cast<Reason>(i);
    std::fprintf(out, "  rejected    %lld  %s: %s\n", Long(counters.rejected[i]),
                 ReasonName(reason), RemedyOf(reason));
  }
}

// "; of a constant 0.7629", if it is known.
std::string OfConstant(const std::optional<double>& value, const char* format) {
  if (!value) return "";
  char text[64];
  std::snprintf(text, sizeof text, format, *value);
  return std::string("; of a constant ") + text;
}

// With more classes a list is hard to read; summary.json has them all.
constexpr std::size_t kMostListed = 30;

void PrintClasses(const ModelSpec& model, const Quality& quality, std::FILE* out) {
  if (quality.brier) std::fprintf(out, "  Brier       %.5g\n", *quality.brier);
  if (quality.auc) std::fprintf(out, "  AUC         %.4f\n", *quality.auc);
  if (quality.recall.size() > kMostListed) return;
  std::string line = "  recall     ";
  for (std::size_t i = 0; i < quality.recall.size(); ++i) {
    if (!quality.recall[i]) continue;
    char text[32];
    std::snprintf(text, sizeof text, " %.4f", *quality.recall[i]);
    line += (line.back() == ' ' ? " " : ", ") + ClassLabel(model, i) + text;
  }
  std::fprintf(out, "%s\n", line.c_str());
}

void PrintQuality(const ModelSpec& model, const Quality& quality, std::FILE* out) {
  const Quality::Constant& constant = quality.constant;
  if (!quality.mean_loss) return;
  if (quality.accuracy) {
    std::fprintf(out, "  accuracy    %.4f%s\n", *quality.accuracy,
                 OfConstant(constant.accuracy, "%.4f").c_str());
  }
  std::fprintf(out, "  %s   %.5g%s\n", quality.log_loss ? "log loss " : "mean loss",
               *quality.mean_loss, OfConstant(constant.mean_loss, "%.5g").c_str());
  if (quality.accuracy) PrintClasses(model, quality, out);
  if (!quality.rmse) return;
  std::fprintf(out, "  RMSE        %.5g%s\n", *quality.rmse,
               OfConstant(constant.rmse, "%.5g").c_str());
  std::fprintf(out, "  MAE         %.5g%s\n", *quality.mae,
               OfConstant(constant.mae, "%.5g").c_str());
  if (quality.r2) std::fprintf(out, "  R2          %.4f\n", *quality.r2);
}

}  // namespace

void PrintReport(const Plan& plan, const ReplayResult& result, std::FILE* out) {
  const Counters& c = result.total;
  std::fprintf(out, "  records     %lld in %.2f s (%.0f/s)\n", Long(c.records), result.seconds,
               static_cast<double>(c.records) / result.seconds);
  std::fprintf(out, "  learned     %lld", Long(c.learned));
  if (c.updates > 0) std::fprintf(out, ", %lld updates", Long(c.updates));
  if (c.duplicates > 0) std::fprintf(out, ", %lld repeats left out", Long(c.duplicates));
  if (c.refused_late > 0) std::fprintf(out, ", %lld late ones refused", Long(c.refused_late));
  std::fprintf(out, "\n  forgotten   %lld events, by %lld requests\n", Long(c.forgotten_events),
               Long(c.requests));
  PrintRejected(c, out);
  if (result.unknown_members > 0) {
    std::fprintf(out,
                 "  ignored     %lld members that events do not have (they have type, id, subject, "
                 "x, f, y, w, request and cause)\n",
                 Long(result.unknown_members));
  }
  PrintQuality(plan.spec.model, result.quality, out);
  if (result.regret_sample) {
    std::fprintf(out, "  regret      %.4g, estimated from %lld events\n", *result.regret(),
                 Long(*result.regret_sample));
  } else if (result.regret()) {
    std::fprintf(out, "  regret      %.4g\n", *result.regret());
  }
  if (c.draws > 0 && !plan.mode->is_exact) {
    std::fprintf(out, "  noise       sigma %.3g per deletion (root mean square)\n",
                 std::sqrt(c.noise_variance / static_cast<double>(c.draws)));
  }
  std::fprintf(out, "  half-life   %.3g events\n", result.shards.front().half_life);
  const auto why_not = result.WhyNotCertified(plan);
  if (plan.mode->is_exact) {
    std::fprintf(
        out,
        "  promise     exact: models are those of a run that never learned the forgotten events\n");
  } else {
    std::fprintf(out,
                 "  promise     epsilon %.4g, delta %.2g, %s: a guess is right at most %.2f%%\n",
                 plan.served.epsilon, plan.served.delta, Name(plan.spec.forgetting.guarantee),
                 std::ceil(5000 * (1 + plan.served.advantage)) / 100);
  }
  if (plan.shards > 1 && !plan.mode->is_exact) {
    std::fprintf(out, "              of all %lld shards together mu %.4g, of each mu %.4g\n",
                 Long(plan.shards), plan.served.mu, plan.promise.mu);
  }
  std::fprintf(out, "  certified   %s\n", why_not.empty() ? "yes" : "no");
  for (const std::string& reason : why_not)
    std::fprintf(out, "              - %s\n", reason.c_str());
}

void PrintWarnings(const ReplayResult& result, std::FILE* out) {
  std::size_t waiting = 0;
  for (const ShardResult& shard : result.shards) waiting += shard.waiting;
  if (waiting > 0) {
    std::fprintf(out, "waiting: %zu requests were not yet effective when the stream ended\n",
                 waiting);
  }
  for (const ShardResult& shard : result.shards) {
    if (!shard.lacks_clock) continue;
    std::fprintf(out,
                 "warning: no record has a timestamp, and forgetting.retention is a time: nothing "
                 "has expired; state it in events instead\n");
    break;
  }
  for (const std::string& example : result.bad_records.examples()) {
    std::fprintf(out, "skipped: %s\n", example.c_str());
  }
  if (result.bad_records.more() > 0) {
    std::fprintf(out, "skipped: %lld more\n", Long(result.bad_records.more()));
  }
  if (result.total.learned + result.total.updates == 0) {
    std::fprintf(out, "warning: nothing was learned; do stream and configuration fit?\n");
  }
}

}  // namespace lethe
