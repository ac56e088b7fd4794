#include "app/receipts/certificate.h"

#include <cmath>
#include <cstdio>
#include <ctime>

#include <simdjson.h>

#include "connectors/json/envelope.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

constexpr char kStyle[] =
    "@page{size:A4;margin:16mm}"
    "body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff;max-width:46em;"
    "margin:2em auto;padding:0 1.2em}"
    "h1{font-size:1.6em;margin:0 0 .1em}h2{font-size:1.05em;margin:1.4em 0 .3em}"
    ".kind{color:#57606a;margin:0}"
    ".promise{font-size:1.15em;border-left:4px solid #1a7f37;padding:.4em 0 .4em 1em;margin:1em 0}"
    ".no .promise{border-color:#b35900}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;"
    "padding:.25em .6em .25em 0;border-bottom:1px solid #d8dee4}"
    "th{font-weight:600;width:12em}ul{margin:.2em 0;padding-left:1.2em}"
    "code{font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}"
    "pre{font:11px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;"
    "background:#f6f8fa;padding:.8em;margin:.4em 0}"
    // The envelope is not printed, because it is of use only in the file.
    "@media print{body{margin:0;padding:0;font-size:11px;line-height:1.35;max-width:none}"
    "h2{margin-top:.8em}p{margin:.3em 0}th,td{padding:.12em .6em .12em 0}code{font-size:10px}"
    "pre{display:none}}@media screen{.paper{display:none}}";

std::string Escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      default: html += c;
    }
  }
  return html;
}

std::string Text(const dom::element& object, const char* pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

std::string Number(const dom::element& object, const char* pointer) {
  std::int64_t integer = 0;
  if (object.at_pointer(pointer).get(integer) == simdjson::SUCCESS) return std::to_string(integer);
  double number = 0;
  if (object.at_pointer(pointer).get(number) != simdjson::SUCCESS) return "–";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

std::string Moment(const dom::element& receipt, const std::string& which) {
  std::string offset = "offset " + Number(receipt, ("/" + which + "/offset").c_str());
  std::int64_t time_ms = 0;
  if (receipt.at_pointer("/" + which + "/timestamp").get(time_ms) != simdjson::SUCCESS) {
    return offset;
  }
  const std::time_t seconds = time_ms / 1000;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return std::string(text) + ", " + offset;
}

std::string List(const dom::element& receipt, const char* key) {
  dom::array lines;
  if (receipt[key].get(lines) != simdjson::SUCCESS || lines.size() == 0) return "<p>None.</p>\n";
  std::string html = "<ul>\n";
  for (const auto& line : lines) {
    std::string_view text;
    if (line.get(text) == simdjson::SUCCESS) html += "<li>" + Escaped(text) + "</li>\n";
  }
  return html + "</ul>\n";
}

std::string Row(const char* name, const std::string& value, bool is_code = false) {
  const std::string cell = is_code ? "<code>" + Escaped(value) + "</code>" : Escaped(value);
  return std::string("<tr><th scope=\"row\">") + name + "</th><td>" + cell + "</td></tr>\n";
}

// The first clean version in the words of model documents and predictions.
std::string FirstCleanVersion(const ChainEntry& entry) {
  return "model version " + std::to_string(entry.model_version) + " of shard " +
         std::to_string(entry.shard);
}

// The promise in one sentence.
std::string Promise(const dom::element& receipt, const ChainEntry& entry) {
  if (entry.outcome != "forgotten") return "Nothing had to be forgotten here: see below.";
  if (!entry.certified) return "The events were forgotten, but no certificate is given: see below.";
  double advantage = 0;
  if (receipt["advantage"].get(advantage) != simdjson::SUCCESS || advantage == 0) {
    return "From " + FirstCleanVersion(entry) +
           " on, the model is exactly one that never learned them.";
  }
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.2f", std::ceil(5000 * (1 + advantage) - 1e-9) / 100);
  return "Somebody who sees everything that is released from " + FirstCleanVersion(entry) +
         " on, apart from the public record, and guesses at equal odds whether these events had "
         "ever been learned, is right at most " +
         percent + " times in 100.";
}

std::string Facts(const dom::element& receipt, const ChainEntry& entry) {
  std::string html = "<h2>Who asked, and since when it holds</h2>\n<table>\n";
  html += Row("Request", entry.request.value_or("without a reference"));
  html += Row("Outcome", entry.outcome + ", " + std::to_string(entry.events) +
                             (entry.events == 1 ? " event" : " events"));
  html += Row("Received", Moment(receipt, "received"));
  html +=
      Row("In effect since", Moment(receipt, "effective") + ", " + FirstCleanVersion(entry) +
                                 ". A copy of a model, or a prediction, that names shard " +
                                 std::to_string(entry.shard) +
                                 " of this state with a lower model_version is older than that");
  html += Row("Receipt", entry.receipt, true);
  return html + "</table>\n";
}

std::string Numbers(const dom::element& receipt, const ChainEntry& entry) {
  std::string html = "<h2>The numbers</h2>\n<table>\n";
  html += Row("Certified", entry.certified ? "yes" : "no");
  html +=
      Row("Promise", "epsilon " + Number(receipt, "/epsilon") + " at delta " +
                         Number(receipt, "/delta") + ", mu " + Number(receipt, "/mu") + ", rho " +
                         Number(receipt, "/rho") + ", advantage " + Number(receipt, "/advantage"));
  if (Number(receipt, "/shards") != "–") {
    html += Row("Shards", "the promise is of " + Number(receipt, "/shards") +
                              " together; of this one alone, mu " + Number(receipt, "/shard_mu"));
  }
  html += Row("Noise", "sigma " + Number(receipt, "/sigma") + " for a shift of at most " +
                           Number(receipt, "/shift") + ", source " + Text(receipt, "/noise"));
  html += Row("Mode", Text(receipt, "/mode") + ", " + Text(receipt, "/guarantee"));
  html += Row("State, shard", entry.state + ", " + std::to_string(entry.shard), true);
  html += Row("Configuration", Text(receipt, "/config"), true);
  html += Row("Entry before", entry.previous, true);
  html += Row("SHA-256 of this receipt", entry.sha256, true);
  return html + "</table>\n";
}

std::string HowToVerify(const ChainEntry& entry, const std::string& envelope) {
  std::string html = "<h2>How to verify</h2>\n";
  const auto signed_one = ReadEnvelope(envelope);
  if (!signed_one.ok()) {
    return html +
           "<p>This receipt is not signed. Its chain is verified by <code>lethe receipts "
           "verify</code>, where it was written.</p>\n<pre>" +
           Escaped(entry.bytes) + "</pre>\n";
  }
  html +=
      "<p>The envelope below holds the exact bytes of this receipt, signed with key <code>" +
      signed_one.value().key_id +
      "</code> (DSSE, Ed25519; the key id is the SHA-256 of the public key). Get the public "
      "key from the operator of the system, store the envelope as <code>receipt.dsse</code>, "
      "then <code>lethe receipts verify receipt.dsse --key PUBLIC-KEY</code>, or "
      "<code>examples/verify.py</code>, which needs nothing of Lethe.</p>\n<p class=\"paper\">The "
      "envelope is in the file that this page was printed from.</p>\n<pre>" +
      Escaped(envelope) + "</pre>\n";
  return html;
}

}  // namespace

Result<std::string> CertificatePage(const ChainEntry& entry, const std::string& envelope) {
  dom::parser parser;
  dom::element receipt;
  if (parser.parse(simdjson::padded_string(entry.bytes)).get(receipt) != simdjson::SUCCESS) {
    return Status(ErrorCode::kCheckFailed, entry.place + ": is no receipt");
  }
  const bool is_certificate = entry.certified && entry.outcome == "forgotten";
  const std::string title = is_certificate ? "Certificate of forgetting" : "Receipt of a request";
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>" +
      title + " " + Escaped(entry.request.value_or(entry.receipt)) + "</title>\n<style>" + kStyle +
      "</style></head>\n<body class=\"" + (is_certificate ? "yes" : "no") + "\">\n";
  html += "<p class=\"kind\">Lethe, lethe.receipt/1</p>\n<h1>" + title + "</h1>\n";
  html += "<p class=\"promise\">" + Escaped(Promise(receipt, entry)) + "</p>\n";
  html += Facts(receipt, entry);
  html += "<h2>In full</h2>\n<p>" + Escaped(entry.statement) + "</p>\n";
  html += "<h2>Assumptions</h2>\n" + List(receipt, "assumptions");
  html += "<h2>Not covered</h2>\n" + List(receipt, "not_covered");
  html += Numbers(receipt, entry) + HowToVerify(entry, envelope);
  return html + "</body></html>\n";
}

}  // namespace lethe
