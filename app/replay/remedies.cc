#include "app/replay/remedies.h"

namespace lethe {

const char* RemedyOf(Reason reason) {
  switch (reason) {
    case Reason::kMalformed: return "write one JSON object a line, in UTF-8";
    case Reason::kTooLarge: return "keep a record below 1 MiB and its features below 4,096";
    case Reason::kUnknownType: return "set type to learn, delete or update";
    case Reason::kMissingField: return "give a learn event x (or f) and y, and an update an id";
    case Reason::kWrongType: return "compare the types with docs/events.md";
    case Reason::kNotFinite: return "leave out or replace values that are not finite";
    case Reason::kWrongDimension:
      return "set model.dimension to the length of x, or model.hash_bits for named features";
    case Reason::kOversized:
      return "raise model.feature_norm to the largest norm, or set model.oversized: rescale";
    case Reason::kLabelOutOfRange:
      return "set model.loss to fit the labels, raise model.label_bound, or scale the labels";
    case Reason::kWeightOutOfRange: return "raise model.weight_bound to the largest weight";
    case Reason::kUnknownClass: return "add the class to model.classes";
    case Reason::kMissingTarget: return "name an id or a subject in a delete";
    case Reason::kBadReference: return "keep ids and subjects to 1 to 1,024 bytes";
    case Reason::kCount: break;
  }
  return "";
}

std::string RemediesOf(const Counters& counters) {
  std::string lines;
  for (std::size_t i = 0; i < counters.rejected.size(); ++i) {
    if (counters.rejected[i] == 0) continue;
    const auto reason = static_cast<Reason>(i);
    lines += std::string("  ") + ReasonName(reason) + ": " + RemedyOf(reason) + "\n";
  }
  return lines;
}

}  // namespace lethe
