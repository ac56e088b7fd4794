#include "http/onnx_maps.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace lethe::onnx {
namespace {

// Adds nodes one behind the other.
class Chain {
 public:
  void Constant(const std::string& name, const std::vector<std::int64_t>& dimensions,
                const std::vector<double>& values) {
    made_.constants.push_back(Tensor(name, dimensions, {values.begin(), values.end()}));
  }
  // A node of the last output and further inputs. Returns the name of its output.
  std::string Then(const char* op, std::vector<std::string> further = {}) {
    further.insert(further.begin(), made_.output);
    return Add(op, std::move(further));
  }
  std::string Add(const char* op, std::vector<std::string> inputs, Message attributes = {}) {
    made_.output = "x" + std::to_string(made_.nodes.size() + 1);
    Message node = Node(op, inputs, {made_.output});
    const std::string more = attributes.TakeBytes();
    if (!more.empty()) node.Bytes(5, more);
    made_.nodes.push_back(std::move(node));
    return made_.output;
  }
  const std::string& last() const { return made_.output; }
  MapNodes Take() { return std::move(made_); }

 private:
  MapNodes made_;
};

void AddScale(const ScaleSpec& scale, Chain& chain) {
  const auto count = static_cast<std::int64_t>(scale.mean.size());
  chain.Constant("mean", {1, count}, scale.mean);
  chain.Constant("deviation", {1, count}, scale.deviation);
  chain.Then("Sub", {"mean"});
  chain.Then("Div", {"deviation"});
}

void AddClip(double clip, Chain& chain) {
  chain.Constant("least", {}, {-clip});
  chain.Constant("most", {}, {clip});
  chain.Then("Clip", {"least", "most"});
}

// A row of zeros is divided by a tiny number, and stays one.
void AddNormalise(Chain& chain) {
  const std::string row = chain.last();
  chain.Constant("tiny", {1, 1}, {1e-30});
  chain.Add("ReduceL2", {row}, Attribute("axes", kInts).Integer(8, 1));
  chain.Then("Max", {"tiny"});
  chain.Add("Div", {row, chain.last()});
}

void AddFourier(const FourierFeatures& fourier, Chain& chain) {
  const std::vector<double>& turns = fourier.InTurns();
  const auto directions = static_cast<std::int64_t>(fourier.directions());
  std::vector<double> radians = turns;
  for (double& angle : radians) angle *= 2 * std::numbers::pi;
  chain.Constant("directions", {static_cast<std::int64_t>(turns.size()) / directions, directions},
                 radians);
  chain.Constant("amplitude", {1, 1}, {std::sqrt(1 / static_cast<double>(directions))});
  const std::string angles = chain.Then("MatMul", {"directions"});
  const std::string cosines = chain.Add("Cos", {angles});
  const std::string sines = chain.Add("Sin", {angles});
  chain.Add("Concat", {cosines, sines}, Attribute("axis", kInt).Integer(3, 1));
  chain.Then("Mul", {"amplitude"});
}

}  // namespace

MapNodes NodesOf(const FeatureMap* map, bool is_hashed) {
  Chain chain;
  if (map == nullptr) return chain.Take();
  const FeaturesSpec& spec = map->spec();
  if (!spec.scale.mean.empty() && !is_hashed) AddScale(spec.scale, chain);
  if (spec.clip) AddClip(*spec.clip, chain);
  if (spec.normalise == NormaliseKind::kL2) AddNormalise(chain);
  if (map->fourier() != nullptr) AddFourier(*map->fourier(), chain);
  return chain.Take();
}

}  // namespace lethe::onnx
