#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lethe::onnx {

// A writer of one protocol-buffer message. Fields are written in the order in which they are added.
class Message {
 public:
  Message& Integer(int field, std::int64_t value);
  Message& Bytes(int field, std::string_view bytes);
  Message& Nested(int field, const Message& message) { return Bytes(field, message.bytes_); }
  // Packed, little-endian.
  Message& Floats(int field, const std::vector<float>& values);

  std::string TakeBytes() { return std::move(bytes_); }

 private:
  void AddKey(int field, unsigned wire_type);

  std::string bytes_;
};

// Numbers of onnx.proto (IR version 8).
inline constexpr std::int64_t kFloatTensor = 1;
enum AttributeType : std::int64_t { kInt = 2, kString = 3, kFloats = 6, kInts = 7, kStrings = 8 };

// The beginning of an AttributeProto: name 1, type 20. The value follows: i 3, s 4, floats 7, ints
// 8, strings 9.
Message Attribute(std::string_view name, AttributeType type);

// The beginning of a NodeProto: input 1, output 2, op_type 4. Attributes (5) and a domain (7) may
// follow.
Message Node(std::string_view op, const std::vector<std::string>& inputs,
             const std::vector<std::string>& outputs);

// A TensorProto of floats: dims 1, data_type 2, float_data 4, name 8. Without dimensions it is one
// number.
Message Tensor(std::string_view name, const std::vector<std::int64_t>& dimensions,
               const std::vector<float>& values);

}  // namespace lethe::onnx
