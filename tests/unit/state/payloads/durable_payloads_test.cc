// Payloads that are visited are those that were added, wherever they are by then.

#include "state/payloads/durable_payloads.h"

#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "state/format/keys.h"
#include "state/store/memory_store.h"

namespace lethe::durable_payloads_test {
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

using Row = std::tuple<std::int64_t, double, std::vector<double>>;

std::vector<Row> ByRow(const Payloads& payloads) {
  std::vector<Row> rows;
  payloads.ForEach([&](EventIndex index, const Example& example) {
    rows.emplace_back(index.value, example.y,
                      std::vector<double>(example.x.begin(), example.x.end()));
  });
  return rows;
}

std::vector<Row> ByBlock(const Payloads& payloads) {
  std::vector<Row> rows;
  payloads.ForEachBlock([&](const PayloadBlock& block) {
    ASSERT_FALSE(block.indices.empty());
    const std::size_t width = block.x.size() / block.indices.size();
    for (std::size_t i = 0; i < block.indices.size(); ++i) {
      const auto x = block.x.subspan(i * width, width);
      rows.emplace_back(block.indices[i].value, block.y[i],
                        std::vector<double>(x.begin(), x.end()));
    }
  });
  return rows;
}

// Whatever happens to them, between which commits and how often they are visited.
TEST(DurablePayloadsTest, AreWhatPayloadsInMemoryAre) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937_64 random(seed);
    MemoryStore store;
    std::optional<DurablePayloads> durable;
    durable.emplace(store, [] { return Status::Ok(); });
    MemoryPayloads memory;
    std::set<std::int64_t> removed;
    const auto commit = [&] {
      WriteBatch batch;
      durable->AddTo(batch);
      ASSERT_TRUE(store.Write(batch, false).ok());
    };
    std::int64_t next = 0;
    const auto remove = [&] {
      const EventIndex index{std::uniform_int_distribution<std::int64_t>(0, next - 1)(random)};
      removed.insert(index.value);
      memory.Remove(index);
      durable->Remove(index);
    };
    const auto drop = [&] {
      memory.DropBefore({next - 400});
      durable->DropBefore({next - 400});
    };
    for (int step = 0; step < 3000; ++step) {
      const auto what = random() % 1000;
      if (what < 900) {
        Example example;
        example.y = static_cast<double>(next % 3);
        example.x = Vector::Constant(5, static_cast<double>(next) / 7);
        memory.Add({next}, example);
        durable->Add({next++}, example);
      } else if (what < 950 && next > 0) {
        remove();
      } else if (what < 970) {
        commit();
      } else if (what < 975 && seed % 2 == 1) {
        drop();
      } else if (what < 980 && seed > 5) {
        durable->PinInMemory();
      } else if (what < 985) {
        commit();
        durable.emplace(store, [] { return Status::Ok(); });
        ASSERT_TRUE(
            durable->Load([&](std::int64_t index) { return removed.count(index) > 0; }).ok());
        for (const std::int64_t index : removed) durable->Remove({index});
      } else {
        for (int i = 0; i < 3; ++i) ASSERT_EQ(ByBlock(*durable), ByRow(memory));
        if (next > 0) remove();
        if (seed % 2 == 1) drop();
        ASSERT_EQ(ByBlock(*durable), ByRow(memory));
        ASSERT_EQ(ByRow(*durable), ByRow(memory));
      }
      ASSERT_EQ(durable->count(), memory.count());
      ASSERT_EQ(durable->bytes(), memory.bytes());
    }
    EXPECT_TRUE(durable->failure().ok());
  }
}

TEST(DurablePayloadsTest, WhatIsMissingInTheStoreIsAFailure) {
  MemoryStore store;
  DurablePayloads payloads(store, [] { return Status::Ok(); });
  Example example;
  example.x = Vector::Ones(3);
  for (std::int64_t i = 0; i < 1000; ++i) payloads.Add({i}, example);
  WriteBatch batch;
  payloads.AddTo(batch);
  ASSERT_TRUE(store.Write(batch, false).ok());
  EXPECT_EQ(ByBlock(payloads).size(), 1000u);
  EXPECT_TRUE(payloads.failure().ok());
  WriteBatch loss;
  loss.Delete(Family::kPayloads, NumberKey(256));
  ASSERT_TRUE(store.Write(loss, false).ok());
  EXPECT_LT(ByRow(payloads).size(), 1000u);
  EXPECT_EQ(payloads.failure().code(), ErrorCode::kInput);
}

}  // namespace
}  // namespace lethe::durable_payloads_test
