#include "app/config/print.h"

#include "app/config/field.h"
#include "app/config/kafka_fields.h"

namespace lethe {
namespace {

using config::Field;

std::vector<std::string> Words(const std::string& path) {
  std::vector<std::string> words(1);
  for (char c : path) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string Indent(std::size_t depth) { return std::string(2 * depth, ' '); }

enum class Extent { kAll, kAnnotated, kChanged };

std::string PrintTree(const Config& config, Extent extent) {
  const bool annotated = extent == Extent::kAnnotated;
  std::string left_out;
  std::string text;
  std::vector<std::string> open;  // the groups that the last printed line stands in
  for (const Field& field : config::Fields()) {
    if (extent == Extent::kChanged) {
      const std::string value = field.print(config);
      if (value == field.Default()) continue;
      if (value.find(config::kMask) != std::string::npos) {
        left_out += "# " + field.path + " has a secret: copy it by hand\n";
        continue;
      }
    }
    const std::vector<std::string> words = Words(field.path);
    const std::size_t depth = words.size() - 1;
    std::size_t shared = 0;
    while (shared < open.size() && shared < depth && open[shared] == words[shared]) ++shared;
    for (std::size_t i = shared; i < depth; ++i) text += Indent(i) + words[i] + ":\n";
    open.assign(words.begin(), words.end() - 1);
    if (annotated) {
      text += Indent(depth) + "# " + field.description + "\n";
      text += Indent(depth) + "# (" + field.allowed + (field.nullable ? ", or null" : "") + ")\n";
    }
    text += Indent(depth) + words.back() + ": " + field.print(config) + "\n";
  }
  return left_out + text;
}

// Groups open and close as in PrintTree.
std::string PrintJsonTree(const Config& config) {
  std::string text = "{";
  std::vector<std::string> open;
  bool is_first = true;
  const auto close_until = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) text += "\n" + Indent(open.size()) + "}";
  };
  const auto key = [&](const std::string& word) {
    text += (is_first ? "\n" : ",\n") + Indent(open.size() + 1) + config::Quote(word) + ": ";
    is_first = false;
  };
  for (const Field& field : config::Fields()) {
    const std::vector<std::string> words = Words(field.path);
    std::size_t shared = 0;
    while (shared < open.size() && shared + 1 < words.size() && open[shared] == words[shared]) {
      ++shared;
    }
    close_until(shared);
    for (std::size_t i = shared; i + 1 < words.size(); ++i) {
      key(words[i]);
      text += "{";
      open.push_back(words[i]);
      is_first = true;
    }
    key(words.back());
    text += field.Json(config);
  }
  close_until(0);
  return text + "\n}\n";
}

// A bar would end the cell of a Markdown table.
std::string Cell(const std::string& text) {
  std::string cell;
  for (char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return " " + cell + " |";
}

}  // namespace

std::string PrintEffective(const Config& config) { return PrintTree(config, Extent::kAll); }

std::string PrintChanged(const Config& config) { return PrintTree(config, Extent::kChanged); }

std::string PrintJson(const Config& config) { return PrintJsonTree(config); }

std::string PrintAnnotated(const Config& config) { return PrintTree(config, Extent::kAnnotated); }

std::string KeysMarkdown() {
  std::string text = "| key | default | allowed | what it does |\n|---|---|---|---|\n";
  for (const Field& field : config::Fields()) {
    text += "|" + Cell("`" + field.path + "`") + Cell("`" + field.Default() + "`") +
            Cell(field.allowed + (field.nullable ? ", or null" : "")) + Cell(field.description) +
            "\n";
  }
  return text;
}

std::string OwnedPropertiesMarkdown() {
  std::string text = "| property | why it is refused |\n|---|---|\n";
  for (const config::OwnedProperty& owned : config::OwnedProperties()) {
    text +=
        "|" + Cell("`" + std::string(owned.name) + "`") + Cell(std::string(owned.reason)) + "\n";
  }
  return text;
}

}  // namespace lethe
