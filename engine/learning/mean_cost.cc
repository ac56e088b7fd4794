#include "engine/learning/mean_cost.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/fused_kernels.h"
#include "engine/base/pairwise_sum.h"
#include "engine/spec/mean_rounding.h"

namespace lethe {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;

// At most Loss::kMany events, with their predictions if the loss has one output. Unused entries are
// 0 and are not read from the results.
struct Chunk {
  Eigen::Index size;
  Loss::Many y = Loss::Many::Zero();
  Loss::Many w = Loss::Many::Zero();
  Loss::Many p = Loss::Many::Zero();
};

// Calls use(rows, chunk) for every stride-th chunk of kMany events. Chunks are counted over the
// retained events and not over the blocks of the payloads, because a state that was loaded again
// has other blocks. So a result, with its rounding, is a function of the retained events alone. A
// chunk that lies in one block is used in place; one that spans blocks is copied.
template <typename Use>
void ForEachRows(const Payloads& payloads, Eigen::Index columns, std::int64_t stride, Use use) {
  constexpr Eigen::Index kMany = Loss::kMany;
  RowMajor gathered(kMany, columns);  // rows of a chunk that lies in several blocks
  Chunk chunk{0};
  std::int64_t number = 0;
  const auto finish = [&](const double* rows) {
    if (number++ % stride == 0) {
      use(Rows(rows, chunk.size, columns), chunk);
    }
    chunk = {0};
  };
  payloads.ForEachBlock([&](const PayloadBlock& block) {
    const auto rows = static_cast<Eigen::Index>(block.y.size());
    for (Eigen::Index begin = 0; begin < rows;) {
      const Eigen::Index count = std::min(kMany - chunk.size, rows - begin);
      const double* const from = block.x.data() + begin * columns;
      std::copy_n(block.y.begin() + begin, count, chunk.y.begin() + chunk.size);
      std::copy_n(block.w.begin() + begin, count, chunk.w.begin() + chunk.size);
      const bool is_whole = count == kMany;
      if (!is_whole) gathered.middleRows(chunk.size, count) = Rows(from, count, columns);
      chunk.size += count;
      begin += count;
      if (chunk.size == kMany) finish(is_whole ? from : gathered.data());
    }
  });
  if (chunk.size > 0) finish(gathered.data());
}

// The same with the predictions of a model with one output.
template <typename Use>
void ForEachChunk(const Payloads& payloads, const Vector& z, std::int64_t stride, Use use) {
  ForEachRows(payloads, z.size(), stride, [&](const Rows& rows, Chunk& chunk) {
    chunk.p.setZero();
    chunk.p.head(chunk.size).matrix().noalias() = rows * z;
    use(rows, chunk);
  });
}

// The outputs of a model with several of them, for one event.
void OutputsOf(const Vector& z, const Rows& rows, Eigen::Index row, const Loss& loss, double* u) {
  MultiplyRows(z.data(), static_cast<std::size_t>(loss.outputs()), rows.data() + row * rows.cols(),
               static_cast<std::size_t>(rows.cols()), u);
}

}  // namespace

double MeanCost::Value(const Vector& z) const {
  const double regulariser = constants_.mu / 2 * z.squaredNorm();
  if (count() == 0) return regulariser;
  PairwiseSum<double> sum(0);
  if (loss_.is_softmax()) {
    Vector u(loss_.outputs());
    ForEachRows(payloads_, z.size() / u.size(), 1, [&](const Rows& rows, const Chunk& chunk) {
      double part = 0;
      for (Eigen::Index i = 0; i < chunk.size; ++i) {
        OutputsOf(z, rows, i, loss_, u.data());
        part += chunk.w[i] * loss_.ValueOf(u.data(), chunk.y[i]);
      }
      sum.Add(part);
    });
    return sum.Total() / static_cast<double>(count()) + regulariser;
  }
  ForEachChunk(payloads_, z, 1, [&](const Rows&, const Chunk& chunk) {
    double part = 0;
    for (Eigen::Index i = 0; i < chunk.size; ++i) {
      part += chunk.w[i] * loss_.Value(chunk.p[i], chunk.y[i]);
    }
    sum.Add(part);
  });
  return sum.Total() / static_cast<double>(count()) + regulariser;
}

Vector MeanCost::Gradient(const Vector& z) const {
  if (count() == 0) return constants_.mu * z;
  PairwiseSum<Vector> sum(Vector::Zero(z.size()));
  Vector part(z.size());
  if (loss_.is_softmax()) {
    const Eigen::Index m = loss_.outputs();
    const Eigen::Index d = z.size() / m;
    Vector u(m);
    RowMajor gradients = RowMajor::Zero(Loss::kMany, m);
    ForEachRows(payloads_, d, 1, [&](const Rows& rows, const Chunk& chunk) {
      for (Eigen::Index i = 0; i < chunk.size; ++i) {
        OutputsOf(z, rows, i, loss_, u.data());
        loss_.Gradient(u.data(), chunk.y[i], gradients.row(i).data());
        gradients.row(i) *= chunk.w[i];
      }
      Eigen::Map<RowMajor>(part.data(), d, m).noalias() =
          rows.transpose() * gradients.topRows(chunk.size);
      sum.Add(part);
    });
    return sum.Total() / static_cast<double>(count()) + constants_.mu * z;
  }
  ForEachChunk(payloads_, z, 1, [&](const Rows& rows, Chunk& chunk) {
    loss_.Slopes(chunk.y, chunk.p);
    chunk.p *= chunk.w;
    part.noalias() = rows.transpose() * chunk.p.head(chunk.size).matrix();
    sum.Add(part);
  });
  return sum.Total() / static_cast<double>(count()) + constants_.mu * z;
}

Eigen::MatrixXd MeanCost::Hessian(const Vector& z, std::int64_t stride) const {
  LETHE_CHECK(!loss_.is_softmax());
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(z.size(), z.size());
  std::int64_t seen = 0;
  // A Newton step need not be exact, so the plain sum is enough here.
  ForEachChunk(payloads_, z, stride, [&](const Rows& rows, Chunk& chunk) {
    loss_.Curvatures(chunk.y, chunk.p);
    chunk.p *= chunk.w;
    const auto curvature = chunk.p.head(chunk.size).matrix();
    hessian.noalias() += rows.transpose() * (curvature.asDiagonal() * rows);
    seen += chunk.size;
  });
  if (seen > 0) hessian /= static_cast<double>(seen);
  hessian.diagonal().array() += constants_.mu;
  return hessian;
}

MeanCost::Curvature MeanCost::CurvatureAt(const Vector& z, std::int64_t stride) const {
  Curvature curvature{.stride = stride, .probabilities = {}, .events = 0};
  const auto k = static_cast<std::size_t>(loss_.scores());
  Vector u(loss_.outputs());
  ForEachRows(payloads_, z.size() / u.size(), stride, [&](const Rows& rows, const Chunk& chunk) {
    for (Eigen::Index i = 0; i < chunk.size; ++i) {
      OutputsOf(z, rows, i, loss_, u.data());
      curvature.probabilities.resize(curvature.probabilities.size() + k);
      double* const p = &*curvature.probabilities.end() - k;
      loss_.Scores(u.data(), p);
      Softmax(p, loss_.scores(), p);
    }
    curvature.events += chunk.size;
  });
  return curvature;
}

// The Hessian of an event is (x x') (x) Q'(diag p - p p')Q.
Vector MeanCost::HessianTimes(const Curvature& curvature, const Vector& v) const {
  const Eigen::Index m = loss_.outputs();
  const Eigen::Index d = v.size() / m;
  Vector product = Vector::Zero(v.size());
  Eigen::Map<RowMajor> matrix(product.data(), d, m);
  Vector u(m);
  Vector scores(loss_.scores());
  RowMajor moved = RowMajor::Zero(Loss::kMany, m);
  const double* next = curvature.probabilities.data();
  ForEachRows(payloads_, d, curvature.stride, [&](const Rows& rows, const Chunk& chunk) {
    for (Eigen::Index i = 0; i < chunk.size; ++i, next += scores.size()) {
      OutputsOf(v, rows, i, loss_, u.data());
      loss_.Scores(u.data(), scores.data());
      const Eigen::Map<const Vector> p(next, scores.size());
      scores = (p.array() * (scores.array() - p.dot(scores))).matrix();
      loss_.Reduce(scores.data(), moved.row(i).data());
      moved.row(i) *= chunk.w[i];
    }
    matrix.noalias() += rows.transpose() * moved.topRows(chunk.size);
  });
  if (curvature.events > 0) product /= static_cast<double>(curvature.events);
  return product + constants_.mu * v;
}

// For softmax the scores cost 3 K terms more, and the probabilities 4 K + 20 of G (the comment on
// Terms in online_run.cc counts both).
double MeanCost::GradientRounding(const Constants& constants, std::int64_t n, std::int64_t inputs,
                                  std::int64_t classes) {
  const auto k = static_cast<double>(classes);
  const double depth = std::max(MeanRoundingDepth(n), 30.0) + (classes > 0 ? 4 * k + 20 : 0);
  return 0x1p-53 * (depth * constants.L + (2 * static_cast<double>(inputs) + 6 * k + 20) *
                                              constants.beta * constants.radius);
}

}  // namespace lethe
