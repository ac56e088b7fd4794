#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/run/router.h"
#include "connectors/kafka/record_batch.h"
#include "engine/shard.h"

namespace lethe {

// The requests of one shard that are looked up in others. All of a batch are asked about at once,
// before it is processed. A request that the own shard knows goes on without an answer, which must
// be there before the commit; a delete that it does not know waits, since its receipt says where
// was searched. So does one whose receipt says how many shards held the person's events. Shards
// that have not read far enough answer later: until then the request stays open, and first_open()
// is stored with every commit, so that a start reads these requests again and asks once more. For
// the worker, one thread at a time.
class Lookups {
 public:
  Lookups(Router& router, const Shard& shard) : router_(router), shard_(shard) {}

  // At the start: requests from this offset on, up to where the shard stands, may be open. Returns
  // the offset to read from.
  Result<Offset> Resume(Offset first_open);

  void Begin(const RecordBatch& batch);
  // Before record i of the batch is processed: what was found out about it, if its receipt says so.
  Status Before(const Record& record, std::size_t i, std::optional<Elsewhere>& elsewhere);
  // The same for a record that was processed before a restart.
  void Again(const Record& record, std::size_t i) { Open(record, i); }
  // Everything before this offset is processed.
  void SetReached(Offset reached);

  // Before a commit: all that has to be passed on by now is with the producer. Returns whether
  // anything is since the last time.
  Result<bool> Settle();
  // Whether it has something to do although no record came.
  bool has_answers() const { return router_.has_answers(shard_.id()); }
  // The oldest request without all answers.
  std::optional<Offset> first_open() const;
  // Requests without a key that were found in another shard, since the last call.
  std::size_t TakeMisplaced() { return std::exchange(misplaced_, 0); }

  // Answers what others ask.
  void Serve() {
    if (router_.is_asked(shard_.id(), reached())) router_.Answer(shard_, reached());
  }
  void Leave() { router_.Leave(shard_.id()); }

 private:
  bool CountsHoldersOf(const Record& record) const {
    return router_.counts_holders() && record.event.kind == EventKind::kDelete &&
           record.event.subject.has_value();
  }

  struct OpenRequest {
    std::shared_ptr<Router::Question> question;
    std::size_t target;
    Offset offset;
    bool is_known;                      // to the own shard
    std::vector<ShardId> sent;          // shards that it was passed on to
    std::optional<std::uint64_t> seen;  // what was found when it was last looked at
  };

  Offset reached() const { return std::max(reached_, shard_.next()); }
  bool Open(const Record& record, std::size_t i);
  // Until every shard has said what it knows by now.
  Status AwaitHeard(const std::shared_ptr<Router::Question>& question);
  // Until the answers are certain, for a short time from the question on: a shard that reads along
  // needs no longer.
  void AwaitAnswers(const Router::Question& question);
  Status PassOn(OpenRequest& request, const std::vector<ShardId>& shards);

  Router& router_;
  const Shard& shard_;
  std::shared_ptr<Router::Question> question_;  // of the batch at hand
  std::vector<std::size_t> records_;            // in the batch, of its targets
  std::size_t at_ = 0;                          // the next target
  std::chrono::steady_clock::time_point patience_;
  std::deque<OpenRequest> open_;
  Offset reached_;
  std::optional<Offset> again_from_;  // what a restart reads again
  Offset again_until_;
  std::size_t misplaced_ = 0;
  bool has_passed_on_ = false;
};

}  // namespace lethe
