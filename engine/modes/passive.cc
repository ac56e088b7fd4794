#include "engine/modes/online_unlearner.h"

namespace lethe {
namespace {

// Mode passive: OLU Algorithm 1 with the ledger's noise. A deletion is one noise draw, and no
// payload is ever stored.
class PassiveUnlearner final : public OnlineUnlearner {
 public:
  explicit PassiveUnlearner(const ModeContext& context) : OnlineUnlearner(context) {}
};

}  // namespace

extern const ModeEntry kPassiveMode;
const ModeEntry kPassiveMode = {
    .name = "passive",
    .summary = "one calibrated noise draw per deletion, no extra work, no payloads stored",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = false,
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<PassiveUnlearner>(context);
    },
    .takes_hashed = true,
};

}  // namespace lethe
