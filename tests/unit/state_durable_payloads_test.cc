// Payloads in memory are those that were added, and those that are read from the store.

#include <random>

#include <gtest/gtest.h>

#include "state/durable_payloads.h"
#include "state/store/memory_store.h"

namespace lethe {
namespace {

std::vector<Vector> InMemory(const DurablePayloads& payloads) {
  std::vector<Vector> found;
  payloads.ForEach([&](EventIndex index, const Example& example) {
    EXPECT_EQ(index.value, static_cast<std::int64_t>(found.size()));
    EXPECT_EQ(example.y, static_cast<double>(index.value % 2));
    found.push_back(example.x);
  });
  return found;
}

// Of every form that numbers have, in runs and in turn, so that blocks begin with each.
TEST(DurablePayloadsTest, KeepEveryBitInMemoryAndOnDisk) {
  std::mt19937_64 random(3);
  MemoryStore store;
  DurablePayloads payloads(store, [] { return Status::Ok(); });
  std::vector<Vector> added;
  for (std::int64_t i = 0; i < 3000; ++i) {
    const auto form = i < 1500 ? i / 300 % 4 : i % 4;
    Example example;
    example.y = static_cast<double>(i % 2);
    example.x.resize(7);
    for (double& x : example.x) {
      const double uniform = std::uniform_real_distribution<double>(-1, 1)(random);
      x = form == 0   ? static_cast<double>(static_cast<float>(uniform))
          : form == 1 ? static_cast<double>(static_cast<std::int64_t>(uniform * 1e9)) / 1e9
          : form == 2 ? static_cast<double>(static_cast<std::int64_t>(uniform * 1e6)) / 1e6
                      : uniform;
    }
    payloads.Add({i}, example);
    added.push_back(example.x);
    if (i % 100 != 0) continue;
    WriteBatch batch;
    payloads.AddTo(batch);
    ASSERT_TRUE(store.Write(batch, false).ok());
  }
  EXPECT_TRUE(InMemory(payloads) == added);
  WriteBatch batch;
  payloads.AddTo(batch);
  ASSERT_TRUE(store.Write(batch, false).ok());
  DurablePayloads loaded(store, [] { return Status::Ok(); });
  ASSERT_TRUE(loaded.Load([](std::int64_t) { return false; }).ok());
  EXPECT_TRUE(InMemory(loaded) == added);
}

}  // namespace
}  // namespace lethe
