#include "app/replay/report.h"

#include <cmath>

namespace lethe {
namespace {

long long Long(std::int64_t x) { return x; }

void PrintRejected(const Counters& counters, std::FILE* out) {
  for (std::size_t i = 0; i < counters.rejected.size(); ++i) {
    if (counters.rejected[i] == 0) continue;
    std::fprintf(out, "  rejected    %lld  %s\n", Long(counters.rejected[i]),
                 ReasonName(static_cast<Reason>(i)));
  }
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
  if (result.accuracy) std::fprintf(out, "  accuracy    %.4f\n", *result.accuracy);
  if (result.mean_loss) std::fprintf(out, "  mean loss   %.4f\n", *result.mean_loss);
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
