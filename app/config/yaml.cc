#include "app/config/yaml.h"

#include <cstdio>
#include <exception>
#include <sstream>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "app/config/text.h"

namespace lethe::config {
namespace {

// Remembers the line where the last document began, and ignores its contents.
class DocumentFinder : public YAML::EventHandler {
 public:
  int line() const { return line_; }

  void OnDocumentStart(const YAML::Mark& mark) override { line_ = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int line_ = 1;
};

int LineAt(const std::string& text, std::size_t position) {
  int line = 1;
  for (std::size_t i = 0; i < position; ++i) line += text[i] == '\n' ? 1 : 0;
  return line;
}

// Adds the error "not text" where the YAML library would guess an encoding or complain about a
// token.
bool CheckIsText(const std::string& text, Errors& errors) {
  std::size_t bad = text.size();
  IsUtf8(text, &bad);
  for (std::size_t i = 0; i < bad; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7f) bad = i;
  }
  if (bad == text.size()) return true;
  char byte[8];
  std::snprintf(byte, sizeof(byte), "0x%02x", static_cast<unsigned char>(text[bad]));
  const Place place{errors, "", LineAt(text, bad)};
  place.Report({std::string("not a text file in UTF-8: byte ") + byte + " at position " +
                std::to_string(bad)});
  return false;
}

// The library's Load silently drops what follows the first document, and its LoadAll never ends on
// a text that begins with a comma; hence a first pass that asks for two documents at most.
std::optional<YAML::Node> ParseOneDocument(const std::string& text, Errors& errors) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentFinder finder;
  if (parser.HandleNextDocument(finder) && parser.HandleNextDocument(finder)) {
    const Place place{errors, "", finder.line()};
    place.Report({"more than one YAML document; the second begins here", "one document"});
    return std::nullopt;
  }
  return YAML::Load(text);
}

std::optional<YAML::Node> ParseWithoutExceptions(const std::string& text, Errors& errors) {
  ConfigError error;
  try {
    return ParseOneDocument(text, errors);
  } catch (const YAML::DeepRecursion& e) {
    error.problem = "too deeply nested";
    error.line = e.mark.line + 1;
  } catch (const YAML::Exception& e) {
    error.problem = "YAML syntax: " + e.msg;
    error.line = e.mark.line + 1;
    error.column = e.mark.column + 1;
  } catch (const std::exception& e) {
    error.problem = std::string("YAML syntax: ") + e.what();
    error.line = 1;
  }
  errors.Add(std::move(error));
  return std::nullopt;
}

}  // namespace

std::optional<YAML::Node> ParseYaml(const std::string& text, Errors& errors) {
  if (!CheckIsText(text, errors)) return std::nullopt;
  std::optional<YAML::Node> root = ParseWithoutExceptions(text, errors);
  if (!root || root->IsMap()) return root;
  const Place top{errors, "", 1};
  if (root->IsNull()) {
    top.Report({"the file is empty", "at least model.dimension or model.hash_bits"});
  } else {
    top.Report({"the file is not a mapping of keys to values", "lines such as 'model:'"});
  }
  return std::nullopt;
}

}  // namespace lethe::config
