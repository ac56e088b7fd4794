#pragma once

#include <cstdint>

namespace lethe {

// When a shard commits, as configured (state.commit_events, state.commit_every).
struct CommitPolicy {
  std::int64_t max_records = 4096;  // uncommitted records, which a crash makes the shard read again
  std::int64_t max_age_ns = 0;      // of the oldest record that is not committed; 0: any age
};

// What a shard holds that is not committed yet.
struct Uncommitted {
  std::int64_t records = 0;
  std::int64_t age_ns = 0;    // of the oldest record
  bool is_full = false;       // the state holds so much that waiting makes no commit cheaper
  bool has_news = false;      // receipts or notices that readers wait for
  bool news_waits = false;    // the pause after the last commit with news is not over
  bool has_more = false;      // messages are waiting, whose news could share the commit
  bool has_answers = false;   // another shard has answered, and a request may have to be passed on
  bool must_release = false;  // a model with random draws is due for release
};

// Whether to commit now; a pure function. News (receipts and notices) is committed at once on a
// quiet stream. Under load, all news of a short pause shares one synced commit. Answers of other
// shards come first, because a request may have to be passed on before anything else happens.
inline bool IsCommitDue(const CommitPolicy& policy, const Uncommitted& waiting) {
  if (waiting.has_answers) return true;
  if (waiting.has_news) return !waiting.has_more || !waiting.news_waits;
  if (waiting.must_release || waiting.is_full) return true;
  if (waiting.records >= policy.max_records) return true;
  return waiting.records > 0 && policy.max_age_ns > 0 && waiting.age_ns >= policy.max_age_ns;
}

}  // namespace lethe
