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

// The lookup of one shard's requests in the other shards of the process. It asks about all requests
// of a batch at once, and passes each request on to the shards that have to serve it.
//
// * A request whose events the own shard has learned is served without waiting for an answer. The
//   answers must be there before the commit.
// * A delete that the own shard has not learned waits, because its receipt says which shards were
//   searched. It waits until every shard of the process has been heard, however long that takes,
//   and then at most 50 ms for certain answers. A delete whose receipt says how many shards held
//   the person's events waits until every shard has said what it knows.
// * A shard that has not read far enough answers later. Until then the request stays open. The
//   oldest open offset is stored with every commit, so that a restart reads these requests again.
//
// Borrows the router, the shard, its state and the clock, which must outlive it. Only the shard's
// own thread may call it. kInterrupted means that the process stops while a question waits for the
// brokers; after any error the lookup must not be used again.
class CrossShardLookup final : public RequestLookup {
 public:
  CrossShardLookup(Router& router, const Shard& shard, DurableState& state, Clock& clock)
      : router_(router), shard_(shard), state_(state), clock_(clock) {}

  // The first call, after the shard has resumed. Returns the offset to read from, which is before
  // shard.next() if requests were open at the last commit.
  Result<Offset> Resume();
  // The last call. From now on other shards do not wait for answers of this shard.
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

  // The offset of the oldest request that not every shard has answered for certain.
  std::optional<Offset> first_open() const;

 private:
  // Whether the receipt says how many shards held the person's events.
  bool CountsHoldersOf(const Request& request) const {
    return router_.counts_holders() && request.subject && !request.is_replacement;
  }
  // The request of an item, or the old version that an update replaces; nullptr for other items.
  static const Request* RequestIn(const Item& item);
  // Whether Begin has asked about message i. Messages must be visited in order.
  bool IsTarget(std::size_t i) const { return at_ < messages_.size() && messages_[at_] == i; }

  struct OpenRequest {
    std::shared_ptr<Router::Question> question;
    std::size_t target;
    Offset offset;
    bool is_known;                      // to the own shard
    std::vector<ShardId> sent;          // shards that it was passed on to
    std::optional<std::uint64_t> seen;  // Question::found() when PassOn last looked at it
  };

  Offset reached() const { return std::max(reached_, shard_.next()); }
  // Adds the current target to the open requests and moves on to the next one. Returns false, and
  // adds nothing, for a rerouted request.
  bool Open(Offset offset, const Request& request);
  // Waits until every shard has said what it knows so far, and answers other shards meanwhile.
  Status AwaitHeard(const std::shared_ptr<Router::Question>& question);
  // Waits until the answers are certain, but at most until `patience_ns_`. A shard that keeps up
  // with its partition needs less time than that.
  void AwaitAnswers(const Router::Question& question);
  // Passes the request on to each of these shards that it was not passed on to before.
  Status SendTo(const std::vector<ShardId>& shards, OpenRequest& request);
  // Adds the oldest open offset to the next commit.
  void NoteOpen();

  Router& router_;
  const Shard& shard_;
  DurableState& state_;
  Clock& clock_;
  std::shared_ptr<Router::Question> question_;  // about the current batch
  std::vector<std::size_t> messages_;           // which message of the batch each target is
  std::size_t at_ = 0;                          // the next target
  std::int64_t patience_ns_ = 0;                // until when a receipt waits for answers
  std::deque<OpenRequest> open_;
  Offset reached_;
  std::optional<Offset> again_from_;  // a restart reads from here to again_until_ again
  Offset again_until_;
  std::size_t misplaced_ = 0;
  bool has_passed_on_ = false;
  std::string open_note_;     // the value of the note in the state
  bool is_anywhere_ = false;  // whether the state has the note "anywhere"
};

}  // namespace lethe
