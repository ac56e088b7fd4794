#include "connectors/json/canonical.h"

#include "connectors/json/number_array.h"
#include "connectors/json/numbers.h"

namespace lethe {
namespace {

// Reads one text from front to back. Every Read and Skip advances over what it has read, or returns
// false.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool Skip(std::string_view expected) {
    if (!std::string_view(at_, left()).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  bool is_at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  // Reads a text of 1 to kMaxIdBytes printable ASCII bytes, and its closing quotation mark.
  bool ReadReference(std::string_view& text) {
    const char* end = at_;
    while (end != end_ && *end != '"') {
      // Right for signed and for unsigned char.
      if (*end < ' ' || *end > '~' || *end == '\\') return false;
      ++end;
    }
    const auto size = static_cast<std::size_t>(end - at_);
    if (end == end_ || size < 1 || size > kMaxIdBytes) return false;
    text = {at_, size};
    at_ = end + 1;
    return true;
  }

  bool ReadNumber(double& number) { return lethe::ReadNumber(at_, end_, number); }
  bool ReadNumbers(std::vector<double>& numbers) { return lethe::ReadNumbers(at_, end_, numbers); }

 private:
  const char* at_;
  const char* const end_;
};

void Assign(std::string_view text, std::optional<std::string>& to) {
  if (!to) to.emplace();
  to->assign(text);
}

bool ReadLabel(Cursor& cursor, LearnView& learn) {
  learn.label.reset();
  learn.y = 0;
  return cursor.Skip("\"") ? cursor.ReadReference(learn.label.emplace())
                           : cursor.ReadNumber(learn.y);
}

}  // namespace

bool ReadCanonicalLearn(std::string_view text, const std::optional<std::string_view>& key,
                        std::vector<double>& x, LearnView& learn) {
  Cursor cursor(text);
  static_assert(kCanonicalLearn.size() >= kBehind);
  if (!cursor.Skip(kCanonicalLearn)) return false;
  learn.id = {};
  if (cursor.Skip(R"("id":")") && (!cursor.ReadReference(learn.id) || !cursor.Skip(","))) {
    return false;
  }
  learn.subject.reset();
  if (cursor.Skip(R"("subject":")") &&
      (!cursor.ReadReference(learn.subject.emplace()) || !cursor.Skip(","))) {
    return false;
  }
  if (!cursor.Skip(R"("x":[)") || !cursor.ReadNumbers(x)) return false;
  if (!cursor.Skip(R"(,"y":)") || !ReadLabel(cursor, learn)) return false;
  learn.w = 1;
  if (cursor.Skip(R"(,"w":)") && !cursor.ReadNumber(learn.w)) return false;
  if (!cursor.Skip("}") || !cursor.is_at_end()) return false;
  if (key) {
    if (key->empty() || key->size() > kMaxIdBytes) return false;
    learn.subject = key;
  }
  learn.x = reinterpret_cast<const char*>(x.data());
  learn.count = x.size();
  learn.is_float32 = false;
  return true;
}

bool ReadCanonicalLearn(std::string_view text, const std::optional<std::string_view>& key,
                        Event& event) {
  LearnView learn;
  if (!ReadCanonicalLearn(text, key, event.x, learn)) return false;
  learn.id.empty() ? event.id.reset() : Assign(learn.id, event.id);
  learn.subject ? Assign(*learn.subject, event.subject) : event.subject.reset();
  event.y = learn.y;
  learn.label ? Assign(*learn.label, event.label) : event.label.reset();
  event.w = learn.w;
  event.unknown_members = 0;
  event.kind = EventKind::kLearn;
  event.request.reset();
  event.is_replaced = false;
  event.named.clear();
  event.texts.clear();
  return true;
}

}  // namespace lethe
