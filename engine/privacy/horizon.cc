#include "engine/privacy/horizon.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/elementary.h"

namespace lethe {
namespace {

// Events are dropped this far apart at least; a drop is a commit that is synced, and two entries of
// the chain.
constexpr std::int64_t kLeastPeriod = 256;
constexpr std::int64_t kUsualPeriod = std::int64_t{1} << 18;
constexpr std::int64_t kRound = 4096;
constexpr double kMostEvents = 1e15;

std::int64_t RoundUp(double events, std::int64_t unit) {
  return static_cast<std::int64_t>(std::ceil(events / static_cast<double>(unit))) * unit;
}

// The steps in which constant steps fade an event, the distance of two marks included; 0 if they
// never do.
std::int64_t StepsToFade(const Constants& constants, const Schedule& schedule) {
  const double log = elementary::Log(Contraction(constants, schedule.Step(1)));
  if (!(log < 0) || Horizon::kFaded / log > kMostEvents) return 0;
  return RoundUp(Horizon::kFaded / log * (1 + 1e-6) + Horizon::kMarks, Horizon::kMarks);
}

const char* WhyNone(const Spec& spec) {
  const ForgettingSpec& forgetting = spec.forgetting;
  if (forgetting.mode != "passive") return "only mode passive drops what has faded";
  if (forgetting.retention.all) return "forgetting.retention: all keeps everything";
  if (forgetting.split != Split::kCurve || forgetting.calibration != Calibration::kLedger) {
    return "only split: curve with calibration: ledger has draws that cover what was dropped";
  }
  if (spec.learning.update != UpdateKind::kSgd) return "steps per feature have no certificate";
  switch (spec.learning.schedule) {
    case ScheduleKind::kInverseTime:
      return "with schedule: inverse_time an event never fades far enough";
    case ScheduleKind::kAdaptive: return "adaptive steps have no certificate";
    case ScheduleKind::kConstant:
    case ScheduleKind::kInverseSqrt:
    case ScheduleKind::kHorizon: return nullptr;
  }
  return nullptr;
}

}  // namespace

Result<Horizon> Horizon::Of(const Spec& spec, const Constants& constants,
                            const Schedule& schedule) {
  Horizon horizon;
  horizon.why = WhyNone(spec);
  if (spec.forgetting.mode != "passive") return horizon;
  const std::int64_t events = spec.forgetting.retention.events;
  const auto refuse = [&](const std::string& reason) {
    return Status(ErrorCode::kConfig,
                  "forgetting.retention: " + std::to_string(events) + " events: " + reason);
  };
  if (horizon.why != nullptr) {
    if (events > 0) return refuse(std::string(horizon.why) + "; use auto or all");
    return horizon;
  }
  if (spec.learning.schedule == ScheduleKind::kInverseSqrt) {
    if (events > 0) return refuse("the steps shrink, and with them fading slows; use auto or all");
    horizon.period = kUsualPeriod;
    return horizon;
  }
  horizon.fades = StepsToFade(constants, schedule);
  if (horizon.fades == 0) {
    horizon.why = "with so small steps an event never fades far enough";
    if (events > 0) return refuse(std::string(horizon.why) + "; use auto or all");
    return horizon;
  }
  if (events == 0) {
    horizon.period = std::max(kUsualPeriod, RoundUp(static_cast<double>(horizon.fades), kRound));
    return horizon;
  }
  const std::int64_t least = horizon.fades + kLeastPeriod;
  if (events < least) {
    return refuse("an event fades within " + std::to_string(horizon.fades) + ", so at least " +
                  std::to_string(least) + " must be retained; or use auto");
  }
  horizon.period = std::min(events - horizon.fades, std::max(kLeastPeriod, events / 2));
  horizon.keep = std::max<std::int64_t>(0, events - horizon.period - kMarks);
  return horizon;
}

}  // namespace lethe
