#pragma once

#include "app/pipeline/commit_protocol.h"

namespace lethe {

// Feeds decoded records to a shard through the real admission and commit protocol. Borrows the
// shard and the steps.
class RecordFeeder {
 public:
  RecordFeeder(Shard& shard, CommitSteps& steps)
      : protocol_(shard, steps), admission_(shard.NewAdmission()) {}

  Status Process(const Record& record, const LookupResult* lookup = nullptr) {
    Record copy = record;
    items_.Clear(1);
    items_.Admit(admission_, 0, copy);
    return protocol_.Process(record.position(), items_.item(0), lookup);
  }
  Status ServeByTimer(const ClockReading& now, bool is_silent) {
    return protocol_.ServeByTimer(now, is_silent);
  }
  Status Obey() { return protocol_.Obey(); }
  Status Commit() { return protocol_.Commit(); }

 private:
  CommitProtocol protocol_;
  Admission admission_;
  ItemBatch items_;
};

}  // namespace lethe
