#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lethe {

// A block of consecutive byte strings, and the codec of the row that stores it: a header, the
// lengths, then the bytes. An empty entry counts as blank. Not thread-safe. It owns its
// bytes. Only Decode, ForEachIn and DecodeOne can fail.
class ByteBlock {
 public:
  using Entry = std::string_view;

  ByteBlock() : ByteBlock(0) {}
  // An empty block whose first entry will have the index `first`. Room for the header of a row of
  // `most` entries is left in front of the bytes, so that Take need not copy a full block.
  explicit ByteBlock(std::int64_t first, std::size_t most = 0);

  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(ends_.size()); }
  // `index` must be in [first, end). The view is valid until the next change of the block.
  Entry At(std::int64_t index) const;

  void Append(Entry entry);
  // Removes the bytes of an entry, so that not even its length remains, and overwrites the memory
  // that becomes free. Returns false if the entry was blank already.
  bool Blank(std::int64_t index);

  // The row of all entries. The block must not be used afterwards. A block with `most` entries is
  // turned into its row in place.
  std::string Take() &&;
  // The row of the entries [from, to).
  std::string Encode(std::int64_t from, std::int64_t to) const;
  // Replaces `rows` by the entries of a row, which it copies. Returns false if the row is damaged
  // or of another kind; `rows` is then unspecified.
  static bool Decode(std::string_view value, ByteBlock& rows);
  // Visits the entries of a row in order, as views into `value`. Returns false if the row is
  // damaged; some entries may have been visited by then.
  using Visitor = std::function<void(std::int64_t index, Entry entry)>;
  static bool ForEachIn(std::string_view value, const Visitor& visit);
  // One entry of a row, as a view into `value`. None: the row is damaged or does not have it.
  static std::optional<Entry> DecodeOne(std::string_view value, std::int64_t wanted);

  // Whether an entry was blanked.
  static bool IsBlank(Entry entry) { return entry.empty(); }

 private:
  void PutHead(std::int64_t from, std::int64_t to, std::string& value) const;

  std::int64_t first_;
  std::size_t begin_;                // where the first entry begins in bytes_
  std::vector<std::uint32_t> ends_;  // where each entry ends, counted from begin_
  std::string bytes_;
};

}  // namespace lethe
