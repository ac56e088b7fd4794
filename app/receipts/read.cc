#include <filesystem>

#include <simdjson.h>

#include "app/receipts/chain.h"
#include "connectors/file/line_reader.h"
#include "engine/json.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

std::string Text(const dom::element& object, const char* key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

std::int64_t Integer(const dom::element& object, const char* key) {
  std::int64_t number = 0;
  if (object[key].get(number) != simdjson::SUCCESS) return 0;
  return number;
}

void FillReceipt(const dom::element& object, ChainEntry& entry) {
  std::string_view request;
  if (object["request"].get(request) == simdjson::SUCCESS) entry.request = std::string(request);
  entry.outcome = Text(object, "outcome");
  entry.statement = Text(object, "statement");
  entry.events = Integer(object, "events");
  bool certified = false;
  if (object["certified"].get(certified) == simdjson::SUCCESS) entry.certified = certified;
  double sigma = 0;
  if (object["sigma"].get(sigma) == simdjson::SUCCESS) entry.sigma = sigma;
  dom::element effective;
  if (object["effective"].get(effective) == simdjson::SUCCESS) {
    entry.effective_offset = Integer(effective, "offset");
    entry.model_version = Integer(effective, "model_version");
  }
}

Status ReadFile(const std::string& path, const Hasher& hasher, ReceiptBook& book) {
  auto reader = LineReader::Open(path);
  if (!reader.ok()) return reader.status();
  dom::parser parser;
  LineReader::Line line;
  while (true) {
    const auto more = reader.value()->Next(line);
    if (!more.ok()) return more.status();
    if (!more.value()) return Status::Ok();
    ChainEntry entry;
    entry.place = path + ":" + std::to_string(line.number);
    entry.bytes = std::string(line.text);
    dom::element object;
    const bool is_json =
        !line.too_long &&
        parser.parse(simdjson::padded_string(line.text)).get(object) == simdjson::SUCCESS;
    if (is_json) entry.format = Text(object, "format");
    if (entry.format != "lethe.receipt/1" && entry.format != "lethe.notice/1") {
      return {ErrorCode::kCheckFailed, entry.place + ": neither a receipt nor a notice"};
    }
    const Digest digest = hasher.Sha256(line.text);
    entry.sha256 = ToHex(digest.data(), digest.size());
    entry.receipt = Text(object, "receipt");
    entry.state = Text(object, "state");
    entry.shard = Integer(object, "shard");
    entry.previous = Text(object, "previous");
    if (entry.is_receipt()) FillReceipt(object, entry);
    book.entries.push_back(std::move(entry));
  }
}

Status ReadHeads(const std::string& path, ReceiptBook& book) {
  dom::parser parser;
  dom::element summary;
  dom::array chains;
  if (parser.load(path).get(summary) != simdjson::SUCCESS ||
      summary["chains"].get(chains) != simdjson::SUCCESS) {
    return {ErrorCode::kCheckFailed, path + ": is not the summary of a replay"};
  }
  for (const dom::element chain : chains) {
    book.heads.push_back({Integer(chain, "shard"), Integer(chain, "entries"), Text(chain, "head")});
  }
  return Status::Ok();
}

}  // namespace

Result<ReceiptBook> ReadReceipts(const std::string& path, const Hasher& hasher) {
  ReceiptBook book;
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    LETHE_RETURN_IF_ERROR(ReadFile(path, hasher, book));
    return book;
  }
  LETHE_RETURN_IF_ERROR(ReadFile(path + "/receipts.ndjson", hasher, book));
  LETHE_RETURN_IF_ERROR(ReadFile(path + "/notices.ndjson", hasher, book));
  const std::string summary = path + "/summary.json";
  if (std::filesystem::exists(summary, ignored)) LETHE_RETURN_IF_ERROR(ReadHeads(summary, book));
  return book;
}

}  // namespace lethe
