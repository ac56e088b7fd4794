#include "engine/names.h"

#include <cstring>

namespace lethe {
namespace {

std::string_view Bytes(const KeyHash& hash, char (&buffer)[16]) {
  std::memcpy(buffer, &hash.low, 8);
  std::memcpy(buffer + 8, &hash.high, 8);
  return {buffer, sizeof buffer};
}

}  // namespace

Names::Names(const Hasher& hasher, RandomSource& random, ShardId shard) : hasher_(hasher) {
  std::uint64_t number = 0;
  for (HashKey* key : {&ledger_key_, &refuse_key_, &receipt_key_}) {
    random.Fill({Stream::Purpose::kKey, shard, number++}, *key);
  }
}

KeyHash Names::Tagged(char tag, std::string_view text) const {
  buffer_.assign(1, tag);
  buffer_.append(text);
  return hasher_.Keyed(ledger_key_, buffer_);
}

KeyHash Names::Lasting(const KeyHash& ledger_name) const {
  char buffer[16];
  return hasher_.Keyed(refuse_key_, Bytes(ledger_name, buffer));
}

KeyHash Names::InReceipt(const KeyHash& ledger_name) const {
  char buffer[16];
  return hasher_.Keyed(receipt_key_, Bytes(ledger_name, buffer));
}

}  // namespace lethe
