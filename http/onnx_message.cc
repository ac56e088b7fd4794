#include "http/onnx_message.h"

#include <bit>

#include "engine/base/varint.h"

namespace lethe::onnx {

Message& Message::Integer(int field, std::int64_t value) {
  AddKey(field, 0);
  AppendVarint(static_cast<std::uint64_t>(value), bytes_);
  return *this;
}

Message& Message::Bytes(int field, std::string_view bytes) {
  AddKey(field, 2);
  AppendVarint(bytes.size(), bytes_);
  bytes_ += bytes;
  return *this;
}

Message& Message::Floats(int field, const std::vector<float>& values) {
  AddKey(field, 2);
  AppendVarint(4 * values.size(), bytes_);
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
  }
  return *this;
}

void Message::AddKey(int field, unsigned wire_type) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3 | wire_type, bytes_);
}

Message Attribute(std::string_view name, AttributeType type) {
  return Message().Bytes(1, name).Integer(20, type);
}

Message Node(std::string_view op, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs) {
  Message node;
  for (const std::string& input : inputs) node.Bytes(1, input);
  for (const std::string& output : outputs) node.Bytes(2, output);
  return node.Bytes(4, op);
}

Message Tensor(std::string_view name, const std::vector<std::int64_t>& dimensions,
               const std::vector<float>& values) {
  Message tensor;
  for (const std::int64_t dimension : dimensions) tensor.Integer(1, dimension);
  return tensor.Integer(2, kFloatTensor).Floats(4, values).Bytes(8, name);
}

}  // namespace lethe::onnx
