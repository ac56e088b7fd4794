#include "engine/modes/papers/fats_run.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/privacy/noise.h"
#include "engine/spec/spec.h"

namespace lethe {
namespace {

std::vector<std::int64_t> Distinct(const std::vector<std::int64_t>& drawn) {
  std::vector<std::int64_t> distinct;
  for (const std::int64_t client : drawn) {
    if (std::find(distinct.begin(), distinct.end(), client) == distinct.end()) {
      distinct.push_back(client);
    }
  }
  return distinct;
}

}  // namespace

FatsRun::FatsRun(const FatsSpec& spec, const Loss& loss, const Constants& constants, double eta,
                 Eigen::Index dimension, Payloads& payloads)
    : clients_(static_cast<std::size_t>(spec.clients)),
      draws_(static_cast<std::size_t>(spec.draws)),
      steps_(static_cast<std::size_t>(spec.local_steps)),
      batch_(static_cast<std::size_t>(spec.batch)),
      loss_(loss),
      constants_(constants),
      eta_(eta),
      start_(Vector::Zero(dimension)),
      payloads_(payloads) {
  payloads.PinInMemory();
}

FatsRun::Clients FatsRun::Retained() const {
  Clients clients(clients_);
  payloads_.ForEachBlock([&](const PayloadBlock& block) {
    for (std::size_t i = 0; i < block.indices.size(); ++i) {
      const std::int64_t index = block.indices[i].value;
      const auto client = ClientOf(index);
      const auto at = static_cast<Eigen::Index>(i) * start_.size();
      clients[client].push_back({index, block.x.data() + at, block.y[i], block.w[i]});
    }
  });
  return clients;
}

void FatsRun::SetClient(std::int64_t index, std::int64_t client) {
  client_of_.resize(static_cast<std::size_t>(index), -1);
  client_of_.push_back(client % static_cast<std::int64_t>(clients_));
}

std::size_t FatsRun::ClientOf(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  if (i >= client_of_.size()) return i % clients_;
  LETHE_CHECK(client_of_[i] >= 0);
  return static_cast<std::size_t>(client_of_[i]);
}

std::int64_t FatsRun::bytes() const {
  std::size_t numbers = client_of_.size();
  for (const Round& round : rounds_) {
    numbers += round.drawn.size() + static_cast<std::size_t>(round.model.size());
    for (const auto& batches : round.batches) numbers += batches.size() * batch_;
  }
  return static_cast<std::int64_t>(8 * numbers);
}

std::size_t FatsRun::CountBefore(const std::vector<Row>& rows, std::int64_t learned) const {
  const auto end =
      std::lower_bound(rows.begin(), rows.end(), learned,
                       [](const Row& row, std::int64_t index) { return row.index < index; });
  return static_cast<std::size_t>(end - rows.begin());
}

void FatsRun::AddRound(std::int64_t learned, FatsChoices& choices) {
  const Clients clients = Retained();
  rounds_.emplace_back().learned = learned;
  DrawClients(rounds_.size() - 1, clients, choices);
  RunRound(rounds_.size() - 1, 0, clients, choices);
}

void FatsRun::DrawClients(std::size_t r, const Clients& clients, FatsChoices& choices) {
  Round& round = rounds_[r];
  std::vector<std::int64_t> able;
  for (std::size_t k = 0; k < clients_; ++k) {
    if (CountBefore(clients[k], round.learned) >= batch_) {
      able.push_back(static_cast<std::int64_t>(k));
    }
  }
  round.drawn.clear();
  round.batches.clear();
  if (able.empty()) return;
  choices.ForClients(static_cast<std::int64_t>(r));
  for (std::size_t i = 0; i < draws_; ++i) {
    const std::int64_t one = choices.Below(static_cast<std::int64_t>(able.size()));
    round.drawn.push_back(able[static_cast<std::size_t>(one)]);
  }
}

std::vector<std::int64_t> FatsRun::DrawBatch(const std::vector<Row>& rows, std::int64_t learned,
                                             FatsChoices& choices) const {
  std::vector<std::int64_t> all(CountBefore(rows, learned));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rows[i].index;
  LETHE_CHECK(all.size() >= batch_);
  // The beginning of a random permutation.
  for (std::size_t j = 0; j < batch_; ++j) {
    const auto left = static_cast<std::int64_t>(all.size() - j);
    std::swap(all[j], all[j + static_cast<std::size_t>(choices.Below(left))]);
  }
  all.resize(batch_);
  std::sort(all.begin(), all.end());
  return all;
}

void FatsRun::RunRound(std::size_t r, std::size_t step, const Clients& clients,
                       FatsChoices& choices) {
  Round& round = rounds_[r];
  const Vector before = r == 0 ? start_ : rounds_[r - 1].model;
  round.model = before;
  if (round.drawn.empty()) return;
  const std::vector<std::int64_t> distinct = Distinct(round.drawn);
  round.batches.resize(distinct.size());
  Vector sum = Vector::Zero(before.size());
  for (std::size_t c = 0; c < distinct.size(); ++c) {
    const std::int64_t client = distinct[c];
    const std::vector<Row>& rows = clients[static_cast<std::size_t>(client)];
    round.batches[c].resize(steps_);
    Vector z = before;
    for (std::size_t i = 0; i < steps_; ++i) {
      if (i >= step) {
        choices.ForBatch(static_cast<std::int64_t>(r), client, static_cast<std::int64_t>(i));
        round.batches[c][i] = DrawBatch(rows, round.learned, choices);
      }
      Step(round.batches[c][i], rows, z);
    }
    // A client that was drawn twice counts twice.
    sum += static_cast<double>(std::count(round.drawn.begin(), round.drawn.end(), client)) * z;
  }
  round.model = sum / static_cast<double>(draws_);
}

void FatsRun::Step(const std::vector<std::int64_t>& batch, const std::vector<Row>& rows,
                   Vector& z) {
  Vector gradient = Vector::Zero(z.size());
  for (const std::int64_t index : batch) {
    const Row& row = rows[CountBefore(rows, index)];
    LETHE_CHECK(row.index == index);
    const Eigen::Map<const Vector> x(row.x, z.size());
    gradient += row.w * loss_.Slope(z.dot(x), row.y) * x;
  }
  gradients_ += static_cast<std::int64_t>(batch.size());
  z -= eta_ * (gradient / static_cast<double>(batch.size()) + constants_.mu * z);
  Project(z, constants_.radius);
}

std::optional<FatsRun::Place> FatsRun::FirstUse(std::span<const std::int64_t> deleted) const {
  std::vector<std::int64_t> sorted(deleted.begin(), deleted.end());
  std::sort(sorted.begin(), sorted.end());
  const Clients clients = Retained();
  const auto meets = [&](const std::vector<std::int64_t>& batch) {
    return std::any_of(batch.begin(), batch.end(), [&](std::int64_t index) {
      return std::binary_search(sorted.begin(), sorted.end(), index);
    });
  };
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const Round& round = rounds_[r];
    for (const std::int64_t client : round.drawn) {
      if (CountBefore(clients[static_cast<std::size_t>(client)], round.learned) < batch_) {
        return Place{r, 0, true};
      }
    }
    for (std::size_t i = 0; i < steps_; ++i) {
      for (const auto& batches : round.batches) {
        if (meets(batches[i])) return Place{r, i, false};
      }
    }
  }
  return std::nullopt;
}

void FatsRun::Redo(const Place& place, FatsChoices& choices) {
  const Clients clients = Retained();
  for (std::size_t r = place.round; r < rounds_.size(); ++r) {
    const bool is_first = r == place.round;
    // The clients of the first round stay: drawing them again would make it less likely that the
    // event's own client is among them, which is how the printed rule gives a deletion away.
    if (!is_first || place.redraws_clients) DrawClients(r, clients, choices);
    RunRound(r, is_first ? place.step : 0, clients, choices);
  }
}

bool FatsRun::Delete(std::span<const std::int64_t> deleted, FatsChoices& choices) {
  for (const std::int64_t index : deleted) {
    if (index < static_cast<std::int64_t>(client_of_.size())) {
      client_of_[static_cast<std::size_t>(index)] = -1;
    }
  }
  const auto place = FirstUse(deleted);
  if (place) Redo(*place, choices);
  return place.has_value();
}

}  // namespace lethe
