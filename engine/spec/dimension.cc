#include "engine/spec/dimension.h"

#include <string>
#include <unordered_set>

#include "engine/spec/loss.h"

namespace lethe {
namespace {

Status Refuse(std::string message) { return {ErrorCode::kConfig, std::move(message)}; }

Status CheckClasses(const ModelSpec& model) {
  if (model.loss != LossKind::kSoftmax) {
    if (model.classes == 0 && model.class_names.empty()) return Status::Ok();
    return Refuse(std::string("model.classes: loss: ") + Name(model.loss) +
                  " has one output and no classes; use loss: softmax, or remove the key");
  }
  if (model.classes < 2) {
    return Refuse(
        "model.classes: softmax needs at least 2 classes; give their number, or their "
        "names as a list");
  }
  if (model.classes > Loss::kMostClasses) {
    return Refuse("model.classes: " + std::to_string(model.classes) + " are too many; at most " +
                  std::to_string(Loss::kMostClasses));
  }
  if (model.class_names.empty()) return Status::Ok();
  if (static_cast<std::int64_t>(model.class_names.size()) != model.classes) {
    return Refuse("model.classes: " + std::to_string(model.class_names.size()) + " names for " +
                  std::to_string(model.classes) + " classes");
  }
  std::unordered_set<std::string> seen;
  for (const std::string& name : model.class_names) {
    if (name.empty()) return Refuse("model.classes: a name is empty; give each class a name");
    if (!seen.insert(name).second) {
      return Refuse("model.classes: two classes have the same name; remove one of them");
    }
  }
  return Status::Ok();
}

}  // namespace

bool IsSparse(const Spec& spec) {
  return spec.model.hash_bits && spec.features.fourier.dimension == 0;
}

std::int64_t FeatureDimension(const Spec& spec) {
  if (spec.features.fourier.dimension > 0) return spec.features.fourier.dimension;
  const ModelSpec& model = spec.model;
  return model.hash_bits ? std::int64_t{1} << *model.hash_bits : model.dimension;
}

std::int64_t InputDimension(const Spec& spec) {
  return FeatureDimension(spec) + (spec.model.bias ? 1 : 0);
}

std::int64_t Outputs(const Spec& spec) { return Loss(spec.model, spec.learning.update).outputs(); }

std::int64_t ModelDimension(const Spec& spec) { return InputDimension(spec) * Outputs(spec); }

Status CheckDimension(const Spec& spec) {
  LETHE_RETURN_IF_ERROR(CheckClasses(spec.model));
  const double most = spec.model.weight_bound;
  if (!(most >= 1e-6 && most <= 1e6)) {
    return Refuse("model.weight_bound: must be between 1e-6 and 1e6");
  }
  const std::int64_t weights = ModelDimension(spec);
  if (weights <= kMostWeights) return Status::Ok();
  return Refuse("model: " + std::to_string(InputDimension(spec)) + " features with " +
                std::to_string(Outputs(spec)) + " outputs each are " + std::to_string(weights) +
                " weights; at most " + std::to_string(kMostWeights) +
                ". Use fewer features (hash_bits) or fewer classes");
}

}  // namespace lethe
