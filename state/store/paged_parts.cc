#include "state/store/paged_parts.h"

#include <algorithm>

#include "state/format/keys.h"

namespace lethe {
namespace {

constexpr std::size_t kPage = 4096;
constexpr char kPageTag = 'p';
constexpr char kSizeTag = 's';

std::string Key(char tag, Part part) { return {tag, static_cast<char>(part)}; }
std::string PageKey(Part part, std::size_t page) { return Key(kPageTag, part) + NumberKey(page); }
std::size_t Pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage; }

}  // namespace

Status PagedParts::Load(const Store& store) {
  std::map<Part, std::size_t> sizes;
  LETHE_RETURN_IF_ERROR(
      store.Scan(Family::kMeta, std::string(1, kSizeTag), [&](auto key, auto value) {
        if (key[0] != kSizeTag) return false;
        sizes[static_cast<Part>(key[1])] = KeyNumber(value);
        return true;
      }));
  LETHE_RETURN_IF_ERROR(
      store.Scan(Family::kMeta, std::string(1, kPageTag), [&](auto key, auto value) {
        if (key[0] != kPageTag) return false;
        parts_[static_cast<Part>(key[1])].bytes += value;
        return true;
      }));
  for (const auto& [part, size] : sizes) {
    Content& content = parts_[part];
    if (content.bytes.size() != size) {
      return {ErrorCode::kInput,
              "the state is damaged: part " + std::to_string(static_cast<int>(part)) + " has " +
                  std::to_string(content.bytes.size()) + " of " + std::to_string(size) + " bytes"};
    }
    content.stored_pages = Pages(size);
  }
  return Status::Ok();
}

std::optional<std::string> PagedParts::Get(Part part) const {
  const auto found = parts_.find(part);
  if (found == parts_.end()) return std::nullopt;
  return found->second.bytes;
}

void PagedParts::Put(Part part, std::string_view bytes) {
  Content& content = parts_[part];
  const std::string_view old = content.bytes;
  for (std::size_t page = 0; page < Pages(bytes.size()); ++page) {
    if (page * kPage >= old.size() ||
        bytes.substr(page * kPage, kPage) != old.substr(page * kPage, kPage)) {
      content.changed.insert(page);
    }
  }
  if (old.size() != bytes.size() || content.stored_pages == 0) content.is_new_size = true;
  content.bytes = bytes;
}

void PagedParts::Rewrite(Part part, std::string_view bytes) {
  Content& content = parts_[part];
  for (std::size_t page = 0; page < Pages(bytes.size()); ++page) content.changed.insert(page);
  content.is_new_size = true;
  content.bytes = bytes;
}

void PagedParts::Extend(Part part, std::string_view bytes) {
  Content& content = parts_[part];
  const std::size_t first = content.bytes.size() / kPage;
  content.bytes += bytes;
  for (std::size_t page = first; page < Pages(content.bytes.size()); ++page) {
    content.changed.insert(page);
  }
  content.is_new_size = true;
}

void PagedParts::AddTo(WriteBatch& batch) {
  for (auto& [part, content] : parts_) {
    const std::size_t pages = Pages(content.bytes.size());
    for (const std::size_t page : content.changed) {
      if (page >= pages) continue;
      batch.Put(Family::kMeta, PageKey(part, page), content.bytes.substr(page * kPage, kPage));
    }
    for (std::size_t page = pages; page < content.stored_pages; ++page) {
      batch.Delete(Family::kMeta, PageKey(part, page));
    }
    if (content.is_new_size) {
      batch.Put(Family::kMeta, Key(kSizeTag, part), NumberKey(content.bytes.size()));
    }
    content.stored_pages = pages;
    content.changed.clear();
    content.is_new_size = false;
  }
}

}  // namespace lethe
