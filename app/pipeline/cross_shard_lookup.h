#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/pipeline/loop_ports.h"
#include "app/pipeline/router.h"
#include "connectors/message_batch.h"
#include "engine/ports/clock.h"
#include "engine/shard/shard.h"
#include "state/durable_state.h"

namespace lethe {

// The requests of one shard that are looked up in the shards of the same process, and passed on to
// those that have to serve them. All requests of a batch are asked about at once.
//
// * A request that the own shard knows goes on without an answer; the answer must be there before
//   the commit.
// * A delete that the own shard does not know waits for a moment, since its receipt says which
//   shards were searched. A delete whose receipt says how many shards held the person's events
//   waits until every shard was heard.
// * A shard that has not read far enough answers later. Until then the request stays open. The
//   oldest open offset is stored with every commit, so that a restart reads these requests again.
//
// Borrows everything. For the shard's own thread.
class CrossShardLookup final : public RequestLookup {
 public:
  CrossShardLookup(Router& router, const Shard& shard, DurableState& state, Clock& clock)
      : router_(router), shard_(shard), state_(state), clock_(clock) {}

  // At the start. Returns the offset to read from: before the shard's own, if requests were open
  // when the state was committed.
  Result<Offset> Resume();
  // At the end: other shards do not wait for answers of this one any more.
  void Leave() { router_.Leave(shard_.id()); }

  void Begin(const MessageBatch& batch) override;
  Status Before(const MessageBatch& batch, std::size_t i,
                std::optional<LookupResult>& result) override;
  void Again(const MessageBatch& batch, std::size_t i) override {
    if (IsTarget(i)) Open(batch.position(i).offset, *RequestIn(batch.item(i)));
  }
  bool NotePlacement(const MessageBatch& batch, std::size_t i) override;
  void SetReached(Offset reached) override;
  void Serve() override {
    if (router_.is_asked(shard_.id(), reached())) router_.Answer(shard_, reached());
  }
  bool has_answers() const override { return router_.has_answers(shard_.id()); }
  Result<bool> PassOn() override;
  std::size_t TakeMisplaced() override { return std::exchange(misplaced_, 0); }

  // The oldest request without all answers.
  std::optional<Offset> first_open() const;

 private:
  // Whether the receipt says how many shards held the person's events.
  bool CountsHoldersOf(const Request& request) const {
    return router_.counts_holders() && request.subject && !request.is_replacement;
  }
  // The request of an item, or what an update replaces; nullptr for other items.
  static const Request* RequestIn(const Item& item);
  // Whether message i is the next one that was asked about.
  bool IsTarget(std::size_t i) const { return at_ < messages_.size() && messages_[at_] == i; }

  struct OpenRequest {
    std::shared_ptr<Router::Question> question;
    std::size_t target;
    Offset offset;
    bool is_known;                      // to the own shard
    std::vector<ShardId> sent;          // shards that it was passed on to
    std::optional<std::uint64_t> seen;  // what was found when it was last looked at
  };

  Offset reached() const { return std::max(reached_, shard_.next()); }
  // The target at hand stays open until all answers are there. False for a rerouted request.
  bool Open(Offset offset, const Request& request);
  // Until every shard has said what it knows by now.
  Status AwaitHeard(const std::shared_ptr<Router::Question>& question);
  // Until the answers are certain, for a short time from the question on: a shard that reads along
  // needs no longer.
  void AwaitAnswers(const Router::Question& question);
  Status SendTo(const std::vector<ShardId>& shards, OpenRequest& request);
  // Adds the oldest open offset to the next commit.
  void NoteOpen();

  Router& router_;
  const Shard& shard_;
  DurableState& state_;
  Clock& clock_;
  std::shared_ptr<Router::Question> question_;  // of the batch at hand
  std::vector<std::size_t> messages_;           // in the batch, of its targets
  std::size_t at_ = 0;                          // the next target
  std::int64_t patience_ns_ = 0;                // until when a receipt waits for answers
  std::deque<OpenRequest> open_;
  Offset reached_;
  std::optional<Offset> again_from_;  // what a restart reads again
  Offset again_until_;
  std::size_t misplaced_ = 0;
  bool has_passed_on_ = false;
  std::string open_note_;     // as it is in the state
  bool is_anywhere_ = false;  // as it is in the state
};

}  // namespace lethe
