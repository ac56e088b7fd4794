#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/compare/compare.h"
#include "app/config/config.h"
#include "app/replay/quality.h"
#include "app/tune/trial.h"
#include "engine/base/status.h"

namespace lethe {

struct TuneOptions {
  int runs = 120;  // learners that are tried, each at least on a part of the rows
  int threads = 1;
  // Called now and then, by one thread, with the share of the work that is done.
  std::function<void(double share)> on_progress = [](double) {};
};

// One choice of settings, and what it did on the first `rows` rows.
struct Trial {
  Spec spec;
  std::int64_t window = 0;  // W of mode rewind; 0: all
  std::int64_t rows = 0;
  Quality quality;
  std::string refused;  // why these settings are not allowed; empty: they are
};

struct TuneResult {
  std::int64_t rows = 0;
  std::int64_t refused_rows = 0;
  int runs = 0;               // passes of a learner over rows, whole or in part
  std::vector<Trial> trials;  // over all rows, the best first
  // Ways to forget with the best learners, over all records with their deletions; the best first.
  // Mode none is among them: the best learner that does not forget.
  std::vector<Comparison> modes;
  Quality::Constant constant;
  std::optional<Spec> chosen;  // none: interrupted before any choice could be made
  bool interrupted = false;

  // The comparison of the chosen settings; nullptr if there is none.
  const Comparison* Chosen() const;
  const Comparison* WithoutForgetting() const;
};

// Searches settings for the model of `base` on these records, which are in memory:
//
// 1. Learners, without deletions, on growing prefixes of the rows. After each prefix a third goes
//    on, and the best of each family (successive halving, Jamieson and Talwalkar 2016).
// 2. Learners next to the best one, on all rows; then windows for it, in mode rewind.
// 3. Ways to forget with the best learners, on all records with their deletions: the mode of
// `base`,
//    of which the best that certifies is chosen; and for a look mode passive, and no forgetting.
//
// The criterion is the mean loss of predictions made before learning. A signal ends the search; the
// result is then the best so far. kInput if nothing can be learned; kConfig if no settings are
// allowed.
Result<TuneResult> Tune(const Spec& base, const std::vector<Record>& records,
                        const TuneOptions& options);

}  // namespace lethe
