#include "app/topics/recorder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/progress.h"
#include "app/topics/clock_notices.h"
#include "app/topics/envelope_writer.h"
#include "connectors/binary/event_codec.h"
#include "connectors/binary/file_writer.h"
#include "connectors/json/event_codec.h"
#include "connectors/record_limits.h"
#include "connectors/system/system_clock.h"
#include "engine/base/json.h"
#include "engine/shard/time_bound.h"

namespace lethe {
namespace {

class Recorder {
 public:
  Recorder(TopicAccess& access, const RecordOptions& options)
      : access_(access), options_(options) {}

  Result<RecordResult> Run() {
    LETHE_RETURN_IF_ERROR(FindRanges());
    LETHE_RETURN_IF_ERROR(ReadNotices());
    LETHE_RETURN_IF_ERROR(OpenWriter());
    Progress progress(options_.show_progress, clock_);
    for (const auto& [partition, range] : ranges_) {
      Status written;
      const Status read =
          access_.Read(options_.topic, partition, range, [&](const FoundMessage& message) {
            written = Take(message);
            progress.Show(result_.records, seen_, total_);
            return written.ok();
          });
      LETHE_RETURN_IF_ERROR(written);
      if (read.code() == ErrorCode::kInterrupted) {
        return Status(read.code(), read.message() + "; nothing was written");
      }
      LETHE_RETURN_IF_ERROR(read);
    }
    if (result_.records == 0) {
      return Status(ErrorCode::kInput, "topic " + options_.topic +
                                           " has no record in this range; nothing was written");
    }
    LETHE_RETURN_IF_ERROR(envelopes_ ? envelopes_->Close() : binary_->Close());
    return std::move(result_);
  }

 private:
  // Finds the range of each partition. Records that come later are not recorded.
  Status FindRanges() {
    const auto count = access_.Partitions(options_.topic);
    if (!count.ok()) return count.status();
    result_.partitions = count.value();
    if (options_.partition && *options_.partition >= count.value()) {
      return {ErrorCode::kUsage, "there is no partition " + std::to_string(*options_.partition) +
                                     ", topic " + options_.topic + " has " +
                                     std::to_string(count.value())};
    }
    for (std::int32_t partition = 0; partition < count.value(); ++partition) {
      if (options_.partition.value_or(partition) != partition) continue;
      auto range = access_.cluster().Range(options_.topic, partition, kBrokerTimeout);
      if (!range.ok()) return range.status();
      auto [first, next] = range.value();
      if (options_.from && *options_.from < first.value) {
        return {ErrorCode::kInput, "partition " + std::to_string(partition) + " of topic " +
                                       options_.topic + " begins at offset " +
                                       std::to_string(first.value) +
                                       " by now: what was before it is gone"};
      }
      if (options_.from) first = {*options_.from};
      if (options_.to) next = {std::min(*options_.to, next.value)};
      if (first < next) ranges_.push_back({partition, {first, next}});
      total_ += std::max<std::int64_t>(0, next.value - first.value);
    }
    return Status::Ok();
  }

  Status ReadNotices() {
    if (!options_.receipts_topic) return Status::Ok();
    auto notices = ReadClockNotices(access_, *options_.receipts_topic);
    if (!notices.ok()) return notices.status();
    notices_ = std::move(notices).value();
    for (const auto& [place, arrival] : notices_) clocks_[place.first].has_notices = true;
    return Status::Ok();
  }

  Status OpenWriter() {
    if (options_.form == RecordedForm::kJson) {
      auto writer = EnvelopeWriter::Open(options_.out);
      if (!writer.ok()) return writer.status();
      envelopes_ = std::move(writer).value();
      return Status::Ok();
    }
    auto writer = BinaryFileWriter::Open(options_.out, {});
    if (!writer.ok()) return writer.status();
    binary_ = std::move(writer).value();
    return Status::Ok();
  }

  // Decodes a message exactly as the live source does.
  void Decode(const FoundMessage& message) {
    record_.shard = ShardId{message.partition};
    record_.offset = message.offset;
    record_.timestamp = message.timestamp.value <= kMaxTimeMs ? message.timestamp : kNoTime;
    record_.is_broker_time = message.is_broker_time && record_.timestamp != kNoTime;
    record_.rejection = message.value && BinaryEventCodec::IsMessage(*message.value)
                            ? binary_codec_.DecodeValue(message.value, message.key, record_.event)
                            : json_codec_.DecodeValue(message.value, message.key, record_.event);
    SetArrival();
  }

  // Sets when the record arrived, if that decides over its timestamp. Only the daemon that read the
  // record knows it, and says so in a notice. Without a notice, a record whose timestamp is in the
  // future even now is taken to have arrived at the latest time of the records before it.
  void SetArrival() {
    Clock& clock = clocks_[record_.shard];
    const TimeMs timestamp = record_.timestamp;
    const TimeMs now{clock_.NowMs()};
    TimeMs arrival = timestamp;
    if (TimeBound::IsAhead(timestamp, now)) {
      arrival = clock.latest == kNoTime ? now : clock.latest;
    } else {
      clock.latest = std::max(clock.latest, timestamp);
    }
    bool is_decided = clock.has_notices ? TimeBound::IsAhead(clock.bound.Count(timestamp), now)
                                        : clock.bound.Decides(timestamp, arrival);
    const auto notice = notices_.find({record_.shard, record_.offset});
    if (notice != notices_.end()) {
      is_decided = true;
      arrival = notice->second;
    }
    record_.arrival = is_decided ? arrival : kNoTime;
    clock.bound = clock.bound.After(timestamp, record_.arrival);
  }

  Status Take(const FoundMessage& message) {
    ++seen_;
    Decode(message);
    bool is_kept = false;
    if (envelopes_) {
      LETHE_RETURN_IF_ERROR(envelopes_->Write(message, record_, is_kept));
    } else {
      std::optional<Rejection> refused;
      LETHE_RETURN_IF_ERROR(binary_->Write(record_, refused));
      is_kept = !refused;
    }
    const bool is_request = record_.rejection ? record_.rejection->is_request
                                              : record_.event.kind == EventKind::kDelete;
    if (!is_kept) {
      ++result_.not_kept;
      result_.not_kept_requests += is_request ? 1 : 0;
      result_.not_kept_good += record_.rejection ? 0 : 1;
      return Status::Ok();
    }
    ++result_.records;
    ++result_.by_partition[message.partition];
    result_.bad += record_.rejection ? 1 : 0;
    return Status::Ok();
  }

  // The clock of one partition.
  struct Clock {
    TimeMs latest = kNoTime;  // the largest timestamp that does not lie in the future
    TimeBound bound;
    bool has_notices = false;  // a daemon has written notices about this partition
  };

  TopicAccess& access_;
  const RecordOptions& options_;
  SystemClock clock_;
  ClockNotices notices_;
  std::map<ShardId, Clock> clocks_;
  std::vector<std::pair<std::int32_t, OffsetRange>> ranges_;
  std::int64_t total_ = 0;
  std::int64_t seen_ = 0;
  std::unique_ptr<EnvelopeWriter> envelopes_;
  std::unique_ptr<RecordWriter> binary_;
  JsonEventCodec json_codec_;
  BinaryEventCodec binary_codec_;
  Record record_;
  RecordResult result_;
};

}  // namespace

Result<RecordResult> RecordTopic(TopicAccess& access, const RecordOptions& options) {
  return Recorder(access, options).Run();
}

std::string RecordJson(const RecordOptions& options, const RecordResult& result) {
  JsonWriter json;
  json.BeginObject().Field("topic", options.topic).Field("out", options.out);
  json.Field("form", options.form == RecordedForm::kBinary ? "binary" : "json");
  json.Field("records", result.records).Key("partitions").BeginArray();
  for (const auto& [partition, records] : result.by_partition) {
    json.BeginObject().Field("partition", std::int64_t{partition});
    json.Field("records", records).EndObject();
  }
  json.EndArray().Field("topic_partitions", std::int64_t{result.partitions});
  json.Field("bad", result.bad).Field("not_kept", result.not_kept);
  json.Field("not_kept_requests", result.not_kept_requests);
  json.Field("not_kept_good", result.not_kept_good);
  return json.EndObject().text();
}

}  // namespace lethe
