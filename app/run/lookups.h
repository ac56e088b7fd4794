#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "app/run/router.h"
#include "connectors/kafka/record_batch.h"
#include "engine/shard.h"

namespace lethe {

// The requests of one shard that are looked up in others. All of a batch are asked about at once,
// before it is processed. A request that the own shard knows goes on without an answer, which must
// be there before the commit; one that it does not know waits, since its receipt says where was
// searched. So does one whose receipt says how many shards held the person's events. For the
// worker, one thread at a time.
class Lookups {
 public:
  Lookups(Router& router, const Shard& shard) : router_(router), shard_(shard) {}

  void Begin(const RecordBatch& batch);
  // Before record i of the batch is processed: what was found out about it, if it matters to it.
  Status Before(const Record& record, std::size_t i, std::optional<Elsewhere>& elsewhere);
  // Before a commit: all that has to be passed on is with the producer. Returns whether anything is
  // since the last time.
  Result<bool> Settle();

  // Answers what others ask.
  void Serve() {
    if (router_.is_asked(shard_.id())) router_.Answer(shard_);
  }
  void Leave() { router_.Leave(shard_.id()); }

 private:
  bool CountsHoldersOf(const Record& record) const {
    return router_.counts_holders() && record.event.subject.has_value();
  }
  void Await(const Router::Question& question);
  Status PassOn(const Router::Question& question, std::size_t target, const Elsewhere& elsewhere);

  struct Open {
    std::shared_ptr<Router::Question> question;
    std::size_t target;
  };

  Router& router_;
  const Shard& shard_;
  std::shared_ptr<Router::Question> question_;  // of the batch at hand
  std::vector<std::size_t> records_;            // in the batch, of its targets
  std::size_t at_ = 0;                          // the next target
  std::vector<Open> open_;
  bool has_passed_on_ = false;
};

}  // namespace lethe
