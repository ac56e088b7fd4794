#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/compare/compare.h"
#include "app/config/nearest.h"

namespace lethe {

std::vector<Contender> AllContenders(const Spec& base) {
  std::vector<Contender> all;
  const auto add = [&](const char* name, const std::function<void(ForgettingSpec&)>& change) {
    Spec spec = base;
    spec.forgetting.calibration = Calibration::kLedger;
    spec.forgetting.split = Split::kCurve;
    spec.forgetting.retention = {};
    change(spec.forgetting);
    if (spec.forgetting.mode != "passive") spec.forgetting.shrink = {};
    all.push_back({name, spec});
  };
  const auto active = [](ActiveVariant variant) {
    return [variant](ForgettingSpec& f) {
      f.mode = "active";
      f.active.variant = variant;
    };
  };
  add("none", [](ForgettingSpec& f) { f.mode = "none"; });
  add("rewind", [&](ForgettingSpec& f) {
    f.mode = "rewind";
    if (base.forgetting.mode == "rewind") f.retention = base.forgetting.retention;
  });
  add("retrain", [](ForgettingSpec& f) { f.mode = "retrain"; });
  add("passive", [](ForgettingSpec& f) { f.mode = "passive"; });
  add("passive/zeta", [](ForgettingSpec& f) {
    f.mode = "passive";
    f.split = Split::kZeta;
  });
  add("active/second_order", active(ActiveVariant::kSecondOrder));
  add("active/algorithm_3", active(ActiveVariant::kAlgorithm3));
  add("active/algorithm_3_paper", active(ActiveVariant::kAlgorithm3Paper));
  add("active/ledger", active(ActiveVariant::kLedger));
  add("active/paper", active(ActiveVariant::kPaper));
  add("restart", [](ForgettingSpec& f) { f.mode = "restart"; });
  const auto d2d = [&](const char* name, const char* mode, Calibration calibration) {
    add(name, [mode, calibration](ForgettingSpec& f) {
      f.mode = mode;
      f.calibration = calibration;
    });
  };
  d2d("d2d_perfect", "d2d_perfect", Calibration::kLedger);
  d2d("d2d_perfect/paper", "d2d_perfect", Calibration::kPaper);
  d2d("d2d_strong", "d2d_strong", Calibration::kLedger);
  d2d("d2d_strong/recursion", "d2d_strong", Calibration::kRecursion);
  d2d("d2d_strong/paper", "d2d_strong", Calibration::kPaper);
  d2d("d2d_regularised", "d2d_regularised", Calibration::kLedger);
  d2d("d2d_distributed", "d2d_distributed", Calibration::kRecursion);
  d2d("d2d_distributed/paper", "d2d_distributed", Calibration::kPaper);
  const auto removal = [](RemovalVariant variant, RemovalSolver solver) {
    return [variant, solver](ForgettingSpec& f) {
      f.mode = "certified_removal";
      f.variant = variant;
      f.removal.solver = solver;
    };
  };
  add("certified_removal", removal(RemovalVariant::kSound, RemovalSolver::kNewton));
  add("certified_removal/chord", removal(RemovalVariant::kSound, RemovalSolver::kChord));
  add("certified_removal/paper", removal(RemovalVariant::kPaper, RemovalSolver::kNewton));
  const auto noisy = [&](const char* name, const char* mode, Calibration calibration,
                         Requests requests) {
    add(name, [=](ForgettingSpec& f) {
      f.mode = mode;
      f.calibration = calibration;
      f.noisy.requests = requests;
    });
  };
  noisy("noisy", "noisy", Calibration::kLedger, Requests::kOblivious);
  noisy("noisy/adaptive", "noisy", Calibration::kLedger, Requests::kAdaptive);
  noisy("noisy_gd", "noisy_gd", Calibration::kLedger, Requests::kOblivious);
  noisy("noisy_gd/adaptive", "noisy_gd", Calibration::kLedger, Requests::kAdaptive);
  noisy("noisy_gd/paper", "noisy_gd", Calibration::kPaper, Requests::kOblivious);
  add("online_dp", [](ForgettingSpec& f) { f.mode = "online_dp"; });
  add("fats", [](ForgettingSpec& f) { f.mode = "fats"; });
  return all;
}

namespace {

// The contender `rewind/N`: mode rewind with a retention of N events.
std::optional<Contender> RewindOver(const std::vector<Contender>& all, const std::string& name) {
  constexpr std::string_view kPrefix = "rewind/";
  const auto rewind = std::find_if(all.begin(), all.end(),
                                   [](const Contender& one) { return one.name == "rewind"; });
  if (!name.starts_with(kPrefix) || rewind == all.end()) return std::nullopt;
  Retention retention;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kPrefix.size(), end, retention.events);
  if (read.ec != std::errc() || read.ptr != end || retention.events <= 0) return std::nullopt;
  Contender contender{name, rewind->spec};
  contender.spec.forgetting.retention = retention;
  return contender;
}

}  // namespace

Result<std::vector<Contender>> ChooseContenders(const std::vector<Contender>& all,
                                                const std::vector<std::string>& names) {
  std::vector<Contender> chosen;
  std::vector<std::string> known = {"all"};
  for (const Contender& contender : all) known.push_back(contender.name);
  for (const std::string& name : names) {
    if (auto rewind = RewindOver(all, name)) {
      chosen.push_back(*std::move(rewind));
      continue;
    }
    const std::size_t before = chosen.size();
    const bool is_row = std::find(known.begin() + 1, known.end(), name) != known.end();
    for (const Contender& contender : all) {
      const std::string mode = contender.name.substr(0, contender.name.find('/'));
      if (name == "all" || name == contender.name || name == mode + "/all" ||
          (name == mode && !is_row)) {
        chosen.push_back(contender);
      }
    }
    if (chosen.size() == before) {
      const auto nearest = Nearest(name, known);
      return Status(ErrorCode::kUsage, "compare: there is no mode " + name +
                                           (nearest ? "; did you mean " + *nearest + "?" : ""));
    }
  }
  return chosen;
}

}  // namespace lethe
