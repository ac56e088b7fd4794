#include "state/durable_payloads.h"

#include <algorithm>

#include "state/keys.h"

namespace lethe {
namespace {

constexpr char kFirstKey[] = "w";  // in Family::kMeta

}  // namespace

void DurablePayloads::Add(EventIndex index, const Example& example) {
  log_.Append(index.value, codec_.Encode(example));
  const PackedNumbers packed = codec_.packed();
  memory_.Add(index, example, &packed);
  next_ = index.value + 1;
}

void DurablePayloads::Remove(EventIndex index) {
  memory_.Remove(index);
  log_.Blank(index.value);
}

void DurablePayloads::DropBefore(EventIndex index) {
  if (index.value <= first_) return;
  first_ = index.value;
  memory_.DropBefore(index);
  log_.DropBefore(index.value);
}

Status DurablePayloads::Load(const Store& store,
                             const std::function<bool(std::int64_t)>& is_removed) {
  const auto first = store.Get(Family::kMeta, kFirstKey);
  if (!first.ok()) return first.status();
  if (first.value()) first_ = static_cast<std::int64_t>(KeyNumber(*first.value()));
  stored_first_ = first_;
  return log_.Load(store, [&](const ByteRows& rows) -> Status {
    Example example;
    for (std::int64_t index = std::max(first_, rows.first()); index < rows.end(); ++index) {
      if (is_removed(index) || ByteRows::IsBlank(rows.At(index))) continue;
      if (!PayloadCodec::Decode(rows.At(index), example)) {
        return {ErrorCode::kInput, "the state is damaged: the payload of event " +
                                       std::to_string(index) + " cannot be read"};
      }
      memory_.Add({index}, example);
    }
    return Status::Ok();
  });
}

void DurablePayloads::AddTo(WriteBatch& batch) {
  log_.AddTo(batch);
  if (first_ == stored_first_) return;
  batch.Put(Family::kMeta, kFirstKey, NumberKey(static_cast<std::uint64_t>(first_)));
  stored_first_ = first_;
}

}  // namespace lethe
