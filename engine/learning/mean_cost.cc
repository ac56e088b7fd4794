#include "engine/learning/mean_cost.h"

#include <algorithm>
#include <cmath>

#include "engine/base/pairwise_sum.h"
#include "engine/spec/mean_rounding.h"

namespace lethe {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;

// At most Loss::kMany events, with their predictions. Unused entries are 0 and are not read from
// the results.
struct Chunk {
  Eigen::Index size;
  Loss::Many y = Loss::Many::Zero();
  Loss::Many p = Loss::Many::Zero();
};

// Calls use(rows, chunk) for every stride-th chunk of kMany events. Chunks are counted over the
// retained events and not over the blocks of the payloads, because a state that was loaded again
// has other blocks. So a result, with its rounding, is a function of the retained events alone. A
// chunk that lies in one block is used in place; one that spans blocks is copied.
template <typename Use>
void ForEachChunk(const Payloads& payloads, const Vector& z, std::int64_t stride, Use use) {
  constexpr Eigen::Index kMany = Loss::kMany;
  const Eigen::Index columns = z.size();
  RowMajor gathered(kMany, columns);  // rows of a chunk that lies in several blocks
  Chunk chunk{0};
  std::int64_t number = 0;
  const auto finish = [&](const double* rows) {
    if (number++ % stride == 0) {
      const Rows map(rows, chunk.size, columns);
      chunk.p.setZero();
      chunk.p.head(chunk.size).matrix().noalias() = map * z;
      use(map, chunk);
    }
    chunk = {0};
  };
  payloads.ForEachBlock([&](const PayloadBlock& block) {
    const auto rows = static_cast<Eigen::Index>(block.y.size());
    for (Eigen::Index begin = 0; begin < rows;) {
      const Eigen::Index count = std::min(kMany - chunk.size, rows - begin);
      const double* const from = block.x.data() + begin * columns;
      std::copy_n(block.y.begin() + begin, count, chunk.y.begin() + chunk.size);
      const bool is_whole = count == kMany;
      if (!is_whole) gathered.middleRows(chunk.size, count) = Rows(from, count, columns);
      chunk.size += count;
      begin += count;
      if (chunk.size == kMany) finish(is_whole ? from : gathered.data());
    }
  });
  if (chunk.size > 0) finish(gathered.data());
}

}  // namespace

double MeanCost::Value(const Vector& z) const {
  const double regulariser = constants_.mu / 2 * z.squaredNorm();
  if (count() == 0) return regulariser;
  PairwiseSum<double> sum(0);
  ForEachChunk(payloads_, z, 1, [&](const Rows&, const Chunk& chunk) {
    double part = 0;
    for (Eigen::Index i = 0; i < chunk.size; ++i) part += loss_.Value(chunk.p[i], chunk.y[i]);
    sum.Add(part);
  });
  return sum.Total() / static_cast<double>(count()) + regulariser;
}

Vector MeanCost::Gradient(const Vector& z) const {
  if (count() == 0) return constants_.mu * z;
  PairwiseSum<Vector> sum(Vector::Zero(z.size()));
  Vector part(z.size());
  ForEachChunk(payloads_, z, 1, [&](const Rows& rows, Chunk& chunk) {
    loss_.Slopes(chunk.y, chunk.p);
    part.noalias() = rows.transpose() * chunk.p.head(chunk.size).matrix();
    sum.Add(part);
  });
  return sum.Total() / static_cast<double>(count()) + constants_.mu * z;
}

Eigen::MatrixXd MeanCost::Hessian(const Vector& z, std::int64_t stride) const {
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(z.size(), z.size());
  std::int64_t seen = 0;
  // A Newton step need not be exact, so the plain sum is enough here.
  ForEachChunk(payloads_, z, stride, [&](const Rows& rows, Chunk& chunk) {
    loss_.Curvatures(chunk.y, chunk.p);
    const auto curvature = chunk.p.head(chunk.size).matrix();
    hessian.noalias() += rows.transpose() * (curvature.asDiagonal() * rows);
    seen += chunk.size;
  });
  if (seen > 0) hessian /= static_cast<double>(seen);
  hessian.diagonal().array() += constants_.mu;
  return hessian;
}

double MeanCost::GradientRounding(const Constants& constants, std::int64_t n,
                                  std::int64_t dimension) {
  return 0x1p-53 * (std::max(MeanRoundingDepth(n), 30.0) * constants.L +
                    (2 * static_cast<double>(dimension) + 20) * constants.beta * constants.radius);
}

}  // namespace lethe
