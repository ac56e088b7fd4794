#pragma once

#include <string>
#include <vector>

#include "engine/admission/feature_map.h"
#include "http/onnx_message.h"

namespace lethe::onnx {

// The nodes and constants of a graph that maps rows before the model sees them, in float32. The
// maps of named features are not among them: they come before hashing, and the input of the graph
// is the hashed row.
struct MapNodes {
  std::vector<Message> nodes;
  std::vector<Message> constants;
  std::string output = "x";  // of the last node; the graph's input if there is none
};

// `map` may be nullptr. `is_hashed`: the input is a hashed row, so scaling was done by name.
MapNodes NodesOf(const FeatureMap* map, bool is_hashed);

}  // namespace lethe::onnx
