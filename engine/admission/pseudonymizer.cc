#include "engine/admission/pseudonymizer.h"

#include <cstring>

namespace lethe {
namespace {

std::string_view Bytes(const KeyHash& hash, char (&buffer)[16]) {
  std::memcpy(buffer, &hash.low, 8);
  std::memcpy(buffer + 8, &hash.high, 8);
  return {buffer, sizeof buffer};
}

}  // namespace

ShardIdentity ShardIdentity::New(ShardId shard, RandomSource& random) {
  ShardIdentity identity{.shard = shard};
  random.Fill({Stream::Purpose::kStateId, shard, 0}, identity.state);
  std::uint64_t number = 0;
  for (HashKey* key : {&identity.ledger_key, &identity.refuse_key, &identity.receipt_key}) {
    random.Fill({Stream::Purpose::kKey, shard, number++}, *key);
  }
  return identity;
}

KeyHash Pseudonymizer::Tagged(char tag, std::string_view text) const {
  return hasher_.Keyed(identity_.ledger_key, tag + std::string(text));
}

KeyHash Pseudonymizer::Lasting(const KeyHash& ledger_name) const {
  char buffer[16];
  return hasher_.Keyed(identity_.refuse_key, Bytes(ledger_name, buffer));
}

KeyHash Pseudonymizer::SubjectInReceipt(std::string_view subject) const {
  char buffer[16];
  return hasher_.Keyed(identity_.receipt_key, Bytes(Tagged('s', subject), buffer));
}

KeyHash Pseudonymizer::InLedger(char tag, std::string_view text, int bits) const {
  const std::uint64_t kept =
      hasher_.KeyedLow(identity_.ledger_key, tag, text) & (~std::uint64_t{0} >> (64 - bits));
  return {.low = kept == 0 ? 1 : kept, .high = 0};  // an erased entry on disk is all zeros
}

}  // namespace lethe
