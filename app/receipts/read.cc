#include <filesystem>

#include <simdjson.h>

#include "app/receipts/chain.h"
#include "connectors/file/line_reader.h"
#include "engine/base/json.h"
#include "state/shard_folder.h"

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

Status AddEntry(std::string_view bytes, std::string place, const Hasher& hasher,
                ReceiptBook& book) {
  auto entry = ParseEntry(bytes, std::move(place), hasher);
  if (!entry.ok()) return entry.status();
  book.entries.push_back(std::move(entry).value());
  return Status::Ok();
}

Status ReadHeads(const dom::element& document, const std::string& place, ReceiptBook& book) {
  dom::array chains;
  if (document["chains"].get(chains) != simdjson::SUCCESS) {
    return {ErrorCode::kCheckFailed, place + ": does not say which chains there are"};
  }
  for (const dom::element chain : chains) {
    book.heads.push_back({Integer(chain, "shard"), Integer(chain, "entries"), Text(chain, "head")});
  }
  return Status::Ok();
}

// A line in an envelope: an entry, or the heads at the beginning of an export.
Status AddSigned(std::string_view line, const std::string& place, const Hasher& hasher,
                 ReceiptBook& book) {
  auto envelope = ReadEnvelope(line);
  if (!envelope.ok()) return {ErrorCode::kCheckFailed, place + ": " + envelope.status().message()};
  const std::string payload = envelope.value().payload;
  book.signed_lines.push_back({place, std::move(envelope).value()});
  dom::parser parser;
  dom::element object;
  if (book.signed_lines.size() == 1 &&
      parser.parse(simdjson::padded_string(payload)).get(object) == simdjson::SUCCESS &&
      Text(object, "format") == "lethe.heads/1") {
    return ReadHeads(object, place, book);
  }
  return AddEntry(payload, place, hasher, book);
}

Status AddLine(std::string_view line, const std::string& place, const Hasher& hasher,
               ReceiptBook& book) {
  const bool is_signed = LooksLikeEnvelope(line);
  if (is_signed != !book.signed_lines.empty() &&
      (!book.entries.empty() || !book.signed_lines.empty())) {
    return {ErrorCode::kCheckFailed, place + ": signed and bare entries are mixed"};
  }
  return is_signed ? AddSigned(line, place, hasher, book) : AddEntry(line, place, hasher, book);
}

Status ReadFile(const std::string& path, const Hasher& hasher, ReceiptBook& book) {
  auto reader = LineReader::Open(path);
  if (!reader.ok()) return reader.status();
  LineReader::Line line;
  while (true) {
    const auto more = reader.value()->Next(line);
    if (!more.ok()) return more.status();
    if (!more.value()) return Status::Ok();
    LETHE_RETURN_IF_ERROR(AddLine(line.too_long ? std::string_view() : line.text,
                                  path + ":" + std::to_string(line.number), hasher, book));
  }
}

Status ReadState(const std::string& path, const Hasher& hasher, ReceiptBook& book) {
  const auto shards = ShardsIn(path);
  if (!shards.ok()) return shards.status();
  for (const ShardId shard : shards.value()) {
    std::int64_t number = 0;
    LETHE_RETURN_IF_ERROR(ReadChainIn(path, shard, [&](ChainKind, std::string_view bytes) {
      return AddEntry(
          bytes,
          path + ", shard " + std::to_string(shard.value) + ", entry " + std::to_string(number++),
          hasher, book);
    }));
  }
  return Status::Ok();
}

Status ReadSummary(const std::string& path, ReceiptBook& book) {
  dom::parser parser;
  dom::element summary;
  if (parser.load(path).get(summary) != simdjson::SUCCESS) {
    return {ErrorCode::kCheckFailed, path + ": is not the summary of a replay"};
  }
  return ReadHeads(summary, path, book);
}

}  // namespace

Result<ChainEntry> ParseEntry(std::string_view bytes, std::string place, const Hasher& hasher) {
  dom::parser parser;
  ChainEntry entry;
  entry.place = std::move(place);
  entry.bytes = std::string(bytes);
  dom::element object;
  if (parser.parse(simdjson::padded_string(bytes)).get(object) == simdjson::SUCCESS) {
    entry.format = Text(object, "format");
  }
  if (entry.format != "lethe.receipt/1" && entry.format != "lethe.notice/1") {
    return Status(ErrorCode::kCheckFailed, entry.place + ": neither a receipt nor a notice");
  }
  const Digest digest = hasher.Sha256(bytes);
  entry.sha256 = ToHex(digest.data(), digest.size());
  entry.receipt = Text(object, "receipt");
  entry.state = Text(object, "state");
  entry.shard = Integer(object, "shard");
  entry.previous = Text(object, "previous");
  if (entry.is_receipt()) FillReceipt(object, entry);
  return entry;
}

Result<ReceiptBook> ReadReceipts(const std::string& path, const Hasher& hasher) {
  ReceiptBook book;
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    LETHE_RETURN_IF_ERROR(ReadFile(path, hasher, book));
    return book;
  }
  if (IsStateFolder(path)) {
    LETHE_RETURN_IF_ERROR(ReadState(path, hasher, book));
    return book;
  }
  LETHE_RETURN_IF_ERROR(ReadFile(path + "/receipts.ndjson", hasher, book));
  LETHE_RETURN_IF_ERROR(ReadFile(path + "/notices.ndjson", hasher, book));
  const std::string summary = path + "/summary.json";
  if (std::filesystem::exists(summary, ignored)) LETHE_RETURN_IF_ERROR(ReadSummary(summary, book));
  return book;
}

}  // namespace lethe
