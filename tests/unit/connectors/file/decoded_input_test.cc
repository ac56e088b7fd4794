// What is held of an input stays, however much is read behind it.

#include "connectors/file/decoded_input.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/binary_records.h"

namespace lethe::decoded_input_test {
namespace {

using testing::MemoryDecoder;

std::string Letters(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('a' + i * i % 26);
  return text;
}

struct Held {
  std::string_view bytes;
  std::shared_ptr<DecodedInput::Buffer> buffer;
};

TEST(DecodedInputTest, WhatIsHeldStaysWhereItIs) {
  const std::string text = Letters(1000);
  DecodedInput input("letters", std::make_unique<MemoryDecoder>(text, 7), 16);
  std::vector<Held> held;
  while (true) {
    const std::size_t wanted = 1 + held.size() % 40;  // more than a buffer has, sometimes
    ASSERT_TRUE(input.Require(wanted).ok());
    const auto bytes = input.pending().substr(0, wanted);
    if (bytes.empty()) break;
    held.push_back({bytes, input.holder()});
    input.Consume(bytes.size());
  }
  std::string found;
  for (const Held& piece : held) found += piece.bytes;
  EXPECT_EQ(found, text);
}

TEST(DecodedInputTest, WhatIsLetGoIsUsedAgain) {
  const std::string text = Letters(4000);
  DecodedInput input("letters", std::make_unique<MemoryDecoder>(text, 100), 128);
  std::vector<const void*> buffers;
  std::shared_ptr<DecodedInput::Buffer> last;
  std::string found;
  for (;;) {
    ASSERT_TRUE(input.Require(60).ok());
    if (input.pending().empty()) break;
    found += input.pending();
    input.Consume(input.pending().size());
    last = input.holder();
    if (std::find(buffers.begin(), buffers.end(), last.get()) == buffers.end()) {
      buffers.push_back(last.get());
    }
  }
  EXPECT_EQ(found, text);
  EXPECT_EQ(buffers.size(), 2u);
}

}  // namespace
}  // namespace lethe::decoded_input_test
