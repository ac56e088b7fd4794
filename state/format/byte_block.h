#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lethe {

// Consecutive entries of any bytes, and the row that holds them on disk.
class ByteBlock {
 public:
  using Entry = std::string_view;

  ByteBlock() : ByteBlock(0) {}
  // With room in front for what a row of so many entries begins with.
  explicit ByteBlock(std::int64_t first, std::size_t most = 0);

  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(ends_.size()); }
  // Valid until the next change.
  Entry At(std::int64_t index) const;

  void Append(Entry entry);
  // Takes the bytes of an entry out, so that its length is gone too. False if it was blank before.
  bool Blank(std::int64_t index);

  // The row of all; of the most entries it is made where they stand.
  std::string Take() &&;
  std::string Encode(std::int64_t from, std::int64_t to) const;
  static bool Decode(std::string_view value, ByteBlock& rows);
  // The entries of a row in order, within `value`. False: it is damaged.
  using Visitor = std::function<void(std::int64_t index, Entry entry)>;
  static bool ForEachIn(std::string_view value, const Visitor& visit);
  // One entry of a row, within `value`.
  static std::optional<Entry> DecodeOne(std::string_view value, std::int64_t wanted);

  // Whether an entry was taken out.
  static bool IsBlank(Entry entry) { return entry.empty(); }

 private:
  void PutHead(std::int64_t from, std::int64_t to, std::string& value) const;

  std::int64_t first_;
  std::size_t begin_;                // of the first entry, in bytes_
  std::vector<std::uint32_t> ends_;  // behind begin_
  std::string bytes_;
};

}  // namespace lethe
