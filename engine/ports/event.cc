#include "engine/ports/event.h"

#include "engine/base/check.h"

namespace lethe {

const char* ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kMalformed: return "malformed";
    case Reason::kTooLarge: return "too_large";
    case Reason::kUnknownType: return "unknown_type";
    case Reason::kMissingField: return "missing_field";
    case Reason::kWrongType: return "wrong_type";
    case Reason::kNotFinite: return "not_finite";
    case Reason::kWrongDimension: return "wrong_dimension";
    case Reason::kOversized: return "oversized";
    case Reason::kLabelOutOfRange: return "label_out_of_range";
    case Reason::kMissingTarget: return "missing_target";
    case Reason::kBadReference: return "bad_reference";
    case Reason::kWeightOutOfRange: return "weight_out_of_range";
    case Reason::kUnknownClass: return "unknown_class";
    case Reason::kCount: break;
  }
  LETHE_CHECK(false);
}

void Event::Clear() {
  kind = EventKind::kLearn;
  id.reset();
  subject.reset();
  request.reset();
  is_replaced = false;
  x.clear();
  named.clear();
  texts.clear();
  y = 0;
  label.reset();
  w = 1;
  unknown_members = 0;
}

}  // namespace lethe
