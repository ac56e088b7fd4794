#include "app/run/lookups.h"

#include <utility>

namespace lethe {

void Lookups::Begin(const RecordBatch& batch) {
  question_.reset();
  records_.clear();
  at_ = 0;
  if (router_.is_alone()) return;
  std::vector<Router::Target> targets;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    const Record& record = batch.record(i);
    if (record.rejection || record.event.kind != EventKind::kDelete) continue;
    if (record.is_placed && !CountsHoldersOf(record)) continue;
    Router::Target target{.request = record.event,
                          .key = {},
                          .offset = record.offset,
                          .is_unknown = shard_.Find(record.event) != Membership::kLearned};
    if (const auto key = batch.key(i)) target.key = std::string(*key);
    if (!target.key) target.key = record.event.subject;
    targets.push_back(std::move(target));
    records_.push_back(i);
  }
  if (!targets.empty()) question_ = router_.Ask(shard_.id(), std::move(targets));
}

Status Lookups::Before(const Record& record, std::size_t i, std::optional<Elsewhere>& elsewhere) {
  elsewhere.reset();
  if (at_ == records_.size() || records_[at_] != i) return Status::Ok();
  const std::size_t target = at_++;
  const bool is_learned = shard_.Find(record.event) == Membership::kLearned;
  if (is_learned && CountsHoldersOf(record)) {
    Await(*question_);
    elsewhere.emplace().holders = router_.Holders(*question_, target);
  }
  if (record.is_placed) return Status::Ok();  // the shard that sent it has looked everywhere
  if (is_learned) {
    open_.push_back({question_, target});
    return Status::Ok();
  }
  Await(*question_);
  elsewhere = router_.Result(shard_.id(), *question_, target, false);
  return PassOn(*question_, target, *elsewhere);
}

Result<bool> Lookups::Settle() {
  for (const Open& open : open_) {
    Await(*open.question);
    const Elsewhere elsewhere = router_.Result(shard_.id(), *open.question, open.target, true);
    LETHE_RETURN_IF_ERROR(PassOn(*open.question, open.target, elsewhere));
  }
  open_.clear();
  return std::exchange(has_passed_on_, false);
}

void Lookups::Await(const Router::Question& question) {
  while (!question.is_answered()) {
    Serve();
    router_.WaitABit();
  }
}

Status Lookups::PassOn(const Router::Question& question, std::size_t target,
                       const Elsewhere& elsewhere) {
  if (elsewhere.passed_on.empty()) return Status::Ok();
  has_passed_on_ = true;
  return router_.PassOn(question.targets()[target], elsewhere.passed_on);
}

}  // namespace lethe
