#include "app/report/page.h"

#include "connectors/json/base64.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/check.h"
#include "http/web_files.h"

namespace lethe {
namespace {

constexpr std::string_view kScripts[] = {"words.js", "dom.js", "charts.js", "report/report.js"};
constexpr std::string_view kStyles[] = {"app.css", "report/report.css"};

std::string_view FileNamed(std::string_view name) {
  for (const WebFile& file : EmbeddedWebFiles()) {
    if (file.name == name) return file.bytes;
  }
  LETHE_CHECK(false);
  return {};
}

// The modules as one script. The imports are removed: each is one line, and names functions of a
// module that stands before it.
std::string Bundle() {
  std::string bundle = "\n'use strict';\n";
  for (const std::string_view name : kScripts) {
    for (std::string_view rest = FileNamed(name); !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.starts_with("import ")) continue;
      if (line.starts_with("export ")) line.remove_prefix(7);
      bundle.append(line).append("\n");
    }
  }
  return bundle;
}

std::string Styles() {
  std::string styles = "\n";
  for (const std::string_view name : kStyles) styles += FileNamed(name);
  return styles;
}

// The JSON with "<" escaped: "</script>" would end a script element even within a string.
std::string InScript(std::string_view json) {
  std::string escaped;
  for (const char c : json) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string HashSource(const std::string& text) {
  const Digest digest = SodiumHasher().Sha256(text);
  return "'sha256-" + ToBase64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "'";
}

void Fill(std::string& page, std::string_view place, std::string_view text) {
  const std::size_t at = page.find(place);
  LETHE_CHECK(at != std::string::npos);
  page.replace(at, place.size(), text);
}

}  // namespace

std::string ReportPage(std::string_view title, std::string_view json) {
  const std::string script = Bundle();
  const std::string styles = Styles();
  std::string page(FileNamed("report/page.html"));
  Fill(page, "{{policy}}",
       "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + HashSource(script) +
           "; style-src " + HashSource(styles));
  Fill(page, "{{title}}", title);
  Fill(page, "{{styles}}", styles);
  Fill(page, "{{script}}", script);
  Fill(page, "{{data}}", InScript(json));  // last, because it may contain other placeholders
  return page;
}

}  // namespace lethe
