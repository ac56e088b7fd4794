// MNIST with softmax regression: what a certified deletion costs in test accuracy, time and memory.
// Usage: mnist FOLDER MODE, with the four files of the data set in FOLDER; MODE is active, rewind
// or certified_removal. Prints one JSON object.
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "connectors/system/sodium_random.h"
#include "engine/base/fused_kernels.h"
#include "engine/learning/mean_cost.h"
#include "engine/learning/reset.h"
#include "engine/modes/unlearner.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {
namespace {

constexpr Eigen::Index kPixels = 784;
constexpr std::int64_t kRemovals[] = {1, 100, 1000};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// Rows of norm 1 from the files in IDX format: images have a header of 16 bytes, labels of 8.
std::vector<Example> ReadExamples(const std::string& folder, const std::string& name) {
  const std::string images = ReadFile(folder + "/" + name + "-images-idx3-ubyte");
  const std::string labels = ReadFile(folder + "/" + name + "-labels-idx1-ubyte");
  std::vector<Example> examples(labels.size() - 8);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    Example& example = examples[i];
    example.x.resize(kPixels);
    for (Eigen::Index j = 0; j < kPixels; ++j) {
      const std::size_t at = 16 + i * static_cast<std::size_t>(kPixels);
      example.x[j] = static_cast<unsigned char>(images[at + static_cast<std::size_t>(j)]);
    }
    example.x.normalize();
    example.y = labels[8 + i];
  }
  return examples;
}

double Accuracy(const Loss& loss, const Vector& z, const std::vector<Example>& examples) {
  std::int64_t right = 0;
  Vector u(loss.outputs());
  Vector scores(loss.scores());
  for (const Example& example : examples) {
    MultiplyRows(z.data(), static_cast<std::size_t>(u.size()), example.x.data(),
                 static_cast<std::size_t>(kPixels), u.data());
    loss.Scores(u.data(), scores.data());
    Eigen::Index best = 0;
    scores.maxCoeff(&best);
    right += best == static_cast<Eigen::Index>(example.y) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(examples.size());
}

Spec SpecOf(const std::string& mode, std::int64_t events) {
  Spec spec;
  spec.model.loss = LossKind::kSoftmax;
  spec.model.classes = 10;
  spec.model.dimension = kPixels;
  spec.model.lambda = 1e-4;
  spec.model.radius = 215;
  spec.learning.eta = 1;
  spec.forgetting.mode = mode;
  spec.forgetting.retention.events = mode == "rewind" ? 2 * events : 0;
  spec.forgetting.budget = {.epsilon = 0.05, .delta = 1e-6, .mu = {}, .rho = {}};
  spec.forgetting.erm.warmup = events;
  return spec;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int Main(const std::string& folder, const std::string& mode) {
  const std::vector<Example> train = ReadExamples(folder, "train");
  const std::vector<Example> test = ReadExamples(folder, "t10k");
  auto plan = Plan::Make(SpecOf(mode, static_cast<std::int64_t>(train.size())));
  if (!plan.ok()) {
    std::fprintf(stderr, "%s\n", plan.status().message().c_str());
    return 1;
  }
  const Loss loss(plan.value().spec.model);
  SystemRandom random;
  MemoryPayloads payloads;
  const auto unlearner = MakeUnlearner(plan.value(), {0}, random, payloads);
  auto start = std::chrono::steady_clock::now();
  for (const Example& example : train) unlearner->Learn(example);
  std::printf("{\"mode\": \"%s\", \"weights\": %lld, \"learn_seconds\": %.3g, \"accuracy\": %.4f",
              mode.c_str(), static_cast<long long>(unlearner->model().size()), SecondsSince(start),
              Accuracy(loss, unlearner->model(), test));
  std::int64_t removed = 0;
  for (const std::int64_t removals : kRemovals) {
    std::vector<Target> batch;
    for (; removed < removals; ++removed) batch.push_back({{removed * 59 + 17}, {}});
    start = std::chrono::steady_clock::now();
    unlearner->Release(batch);
    const auto forgotten = unlearner->Forget(batch);
    const double seconds = SecondsSince(start);
    if (!forgotten.ok()) {
      std::fprintf(stderr, "%s\n", forgotten.status().message().c_str());
      return 1;
    }
    // The noiseless model: the minimiser over the same events; in mode rewind the model itself.
    Vector noiseless = unlearner->model();
    if (mode != "rewind") {
      const MeanCost cost(loss, plan.value().constants, payloads);
      if (!ResetTo(cost, plan.value().constants, 1e-9, noiseless).ok()) return 1;
    }
    std::printf(
        ", \"removed_%lld\": {\"seconds\": %.3g, \"sigma\": %.3g, \"accuracy\": %.4f, "
        "\"noiseless\": %.4f}",
        static_cast<long long>(removals), seconds, forgotten.value().sigma,
        Accuracy(loss, unlearner->model(), test), Accuracy(loss, noiseless, test));
    std::fflush(stdout);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(", \"megabytes\": %ld}\n", usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace lethe

int main(int argc, char** argv) {
  if (argc == 3) return lethe::Main(argv[1], argv[2]);
  std::fprintf(stderr, "usage: mnist FOLDER active|rewind|certified_removal\n");
  return 1;
}
