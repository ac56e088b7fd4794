#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/door.h"
#include "engine/event.h"
#include "engine/example.h"
#include "engine/names.h"
#include "engine/types.h"

namespace lethe {

// A learn or update as it reaches the learner, or why it does not.
struct Admitted {
  std::optional<Rejection> rejection;
  Example example;
  KeyHash id;  // under the ledger key
  std::optional<KeyHash> subject;
};

// From a decoded learn or update to what the learner and the ledger take: bounds, hashed features,
// names. That depends on the record alone, so it may be done some records ahead, or in another
// thread with an intake of its own; whoever looks ahead can have memory fetched in the meantime.
// Not thread-safe.
class Intake {
 public:
  // How many records may be expected at a time, besides the one that is taken next.
  static constexpr std::size_t kAhead = 8;

  // An event without an id is called by its place in the topic.
  Intake(const ModelSpec& model, Names names, std::string topic, ShardId shard);

  // A learn or update that could be decoded.
  void Admit(const Record& record, Admitted& admitted) const;

  // Likewise, in a hurry. False: the record has to be decoded, and then admitted.
  bool Admit(const PlainLearn& learn, Admitted& admitted) const;

  // Prepares a record that is to be taken after the ones that were expected before.
  const Admitted& Expect(const Record& record);

  // The result is valid until the next call. Takes any record; one that was expected is ready.
  const Admitted& Take(const Record& record);

  const Door& door() const { return door_; }

 private:
  struct Prepared {
    const Record* record = nullptr;
    Offset offset;
    Admitted admitted;
  };

  void Prepare(const Record& record, Prepared& prepared) const;
  template <typename Text>
  void PutSubject(const std::optional<Text>& subject, Admitted& admitted) const;
  // What an event without an id is called.
  std::string PlaceOf(const Record& record) const;
  // Takes the first out of the ring, where it stays for a while.
  void Drop();

  Door door_;
  Names names_;
  std::string topic_;
  ShardId shard_;
  std::array<Prepared, kAhead + 2> ring_;  // one that was taken stays for a while
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Prepared unexpected_;  // one that was not
};

// What was admitted of the records of a batch, in whatever thread has decoded it. Reused, so that
// its buffers are. Not thread-safe.
class AdmittedBatch {
 public:
  void Clear(std::size_t count);
  // For the features of the record that is decoded next. All that are admitted share it, so that it
  // stays in the processor's cache.
  std::vector<double>& buffer() { return x_; }
  // Record i, a learn or update; takes the buffer of its features back.
  void Admit(const Intake& intake, std::size_t i, Record& record);

  // Likewise, in a hurry. False: it was not, and has to be decoded.
  bool Admit(const Intake& intake, std::size_t i, const PlainLearn& learn);

  // nullptr: it was not.
  const Admitted* At(std::size_t i) const { return is_admitted_[i] ? &admitted_[i] : nullptr; }

 private:
  std::vector<Admitted> admitted_;
  std::vector<bool> is_admitted_;
  std::vector<double> x_;
};

}  // namespace lethe
