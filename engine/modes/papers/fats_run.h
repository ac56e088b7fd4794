#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/ports/payloads.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

struct FatsSpec;

// The source of a FatsRun's random choices. Not thread-safe; borrowed for each call.
class FatsChoices {
 public:
  virtual ~FatsChoices() = default;
  // The choices that follow are for the clients of a round, or for one batch of it.
  virtual void ForClients(std::int64_t /*round*/) {}
  virtual void ForBatch(std::int64_t /*round*/, std::int64_t /*client*/, std::int64_t /*step*/) {}
  // One of 0, ..., n - 1, uniformly.
  virtual std::int64_t Below(std::int64_t n) = 0;
};

// Federated averaging whose history can be redrawn (FATS, Algorithms 1 to 3, with its sample-level
// rule repaired). Every event belongs to a client. A round draws K clients with replacement from
// those that have enough events; each of them takes E steps on batches of b of its events, and the
// model becomes the mean of theirs. All draws are kept. A deletion finds the first draw that used
// the event, redraws from there, and keeps everything before, the clients of that round included.
// Then the history is distributed as if the event had never been learned.
//
// Not thread-safe. It borrows the payloads, which must outlive it. No operation fails.
class FatsRun {
 public:
  struct Round {
    std::int64_t learned = 0;         // events before this index may take part
    std::vector<std::int64_t> drawn;  // K clients; none if there were not enough events
    // Of each distinct client, in order of its first draw, and each step: events in order.
    std::vector<std::vector<std::vector<std::int64_t>>> batches;
    Vector model;  // after the round

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.learned, self.drawn, self.batches, self.model);
    }
  };

  FatsRun(const FatsSpec& spec, const Loss& loss, const Constants& constants, double eta,
          Eigen::Index dimension, Payloads& payloads);

  // The client of the next event; without it event i belongs to client i mod M.
  void SetClient(std::int64_t index, std::int64_t client);
  const std::vector<std::int64_t>& client_of() const { return client_of_; }
  void set_client_of(std::vector<std::int64_t> clients) { client_of_ = std::move(clients); }

  // A round on the events before index `learned`.
  void AddRound(std::int64_t learned, FatsChoices& choices);

  // The first choice that a deletion of these events undoes; none if they were never used. Their
  // payloads are gone already.
  struct Place {
    std::size_t round = 0;
    std::size_t step = 0;          // batches of earlier steps stay
    bool redraws_clients = false;  // a drawn client has not enough events left
  };
  std::optional<Place> FirstUse(std::span<const std::int64_t> deleted) const;
  // Draws everything from there on again.
  void Redo(const Place& place, FatsChoices& choices);

  // All of a deletion; whether anything had to be redone. Forgets whose the events were.
  bool Delete(std::span<const std::int64_t> deleted, FatsChoices& choices);

  const Vector& model() const { return rounds_.empty() ? start_ : rounds_.back().model; }
  const std::vector<Round>& rounds() const { return rounds_; }
  std::int64_t gradients() const { return gradients_; }  // of everything drawn so far
  std::int64_t bytes() const;                            // of what was drawn

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.rounds_);
  }

 private:
  struct Row {
    std::int64_t index;
    const double* x;
    double y;
    double w;
  };
  // The retained events of each client, in order.
  using Clients = std::vector<std::vector<Row>>;
  Clients Retained() const;
  std::size_t ClientOf(std::int64_t index) const;
  std::size_t CountBefore(const std::vector<Row>& rows, std::int64_t learned) const;

  void DrawClients(std::size_t round, const Clients& clients, FatsChoices& choices);
  // Draws the batches from `step` on, and computes the round's model.
  void RunRound(std::size_t round, std::size_t step, const Clients& clients, FatsChoices& choices);
  std::vector<std::int64_t> DrawBatch(const std::vector<Row>& rows, std::int64_t learned,
                                      FatsChoices& choices) const;
  void Step(const std::vector<std::int64_t>& batch, const std::vector<Row>& rows, Vector& z);

  std::size_t clients_, draws_, steps_, batch_;
  Loss loss_;
  Constants constants_;
  double eta_;
  Vector start_;
  const Payloads& payloads_;
  std::vector<Round> rounds_;
  std::vector<std::int64_t> client_of_;  // of event i; -1 if it is deleted
  std::int64_t gradients_ = 0;
};

}  // namespace lethe
