#include "engine/shard/receipt_text.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "engine/base/json.h"

namespace lethe {
namespace {

std::string Count(std::size_t n, const char* thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

std::string Percent(double share) {
  char text[16];
  // Rounded up: the sentence is a bound.
  std::snprintf(text, sizeof text, "%.2f%%", std::ceil(share * 10000 - 1e-9) / 100);
  return text;
}

std::string Subject(const Receipt& receipt) {
  return receipt.request ? "Request " + *receipt.request : std::string("This request");
}

std::string List(const char* before, const std::vector<ShardId>& shards) {
  std::string text = before;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(shards[i].value);
  }
  return text + ".";
}

std::string PassedOn(const Receipt& receipt) {
  std::string text;
  if (!receipt.passed_on.empty()) {
    text += List(receipt.passed_on.size() == 1
                     ? " It was passed on to another shard, whose receipt says what became of it:"
                     : " It was passed on to other shards, whose receipts say what became of it:",
                 receipt.passed_on);
  }
  if (!receipt.pending.empty()) {
    text += List(
        " Shards that had not read far enough to know are asked until they do, and one that has "
        "learned something gets the request and writes a receipt:",
        receipt.pending);
  }
  return text;
}

// The releases that the promise covers.
std::string Since(const Receipt& receipt, const ReceiptContext& context) {
  const std::string version = std::to_string(receipt.model_version.value);
  if (context.shards == 1) {
    return "From everything that this model's shard releases from model version " + version + " on";
  }
  return "From everything that the " + std::to_string(context.shards) +
         " shards of this model release together, this one from its version " + version +
         " on and every other one from the version of its own last receipt on";
}

// Whether the deleted events have a subject. Either all events of one request have one or none has.
bool HasSubject(const Receipt& receipt) {
  return receipt.events.empty() ? receipt.subject.has_value()
                                : receipt.events.front().subject.has_value();
}

// The events whose membership the attacker guesses.
std::string Guessed(const Receipt& receipt, const ReceiptContext& context) {
  const bool joint = context.spec.forgetting.guarantee == Guarantee::kJoint;
  if (receipt.events.empty() && (joint || !HasSubject(receipt))) {
    return joint ? "what this name may have stood for and all events deleted before were"
                 : "the event that this name may have stood for was";
  }
  if (joint) {
    return context.shards == 1
               ? "these and all events deleted before them were"
               : "these and all events deleted before them, in whichever shard, were";
  }
  if (!HasSubject(receipt)) return "these events were";
  if (!receipt.subject)
    return "these events, and those of the same person forgotten here before, were";
  if (context.shards == 1) return "this person's events were";
  return "this person's events, which are taken to have been in " +
         Count(static_cast<std::size_t>(receipt.holders), "shard") + ", were";
}

std::string Promised(const Receipt& receipt, const ReceiptContext& context) {
  std::string text = Since(receipt, context) +
                     ", apart from the public record of when events came and which were "
                     "deleted, a guess at equal odds whether " +
                     Guessed(receipt, context) + " ever learned is right at most " +
                     Percent((1 + receipt.promise.advantage) / 2) + " of the time (epsilon " +
                     ToText(receipt.promise.epsilon) + ", delta " + ToText(receipt.promise.delta) +
                     ").";
  if (context.spec.forgetting.guarantee == Guarantee::kJoint) return text;
  if (!HasSubject(receipt)) {
    return text +
           " This is promised for these events alone: they carry no subject, so other events of "
           "the same person are not counted with them, and k such requests together are k mu.";
  }
  return text +
         " This is promised for each person alone: for k people taken together the bound on the "
         "odds grows k-fold (k mu).";
}

// A time of the shard's clock in UTC.
std::string InWords(TimeMs time) {
  using std::chrono::days, std::chrono::floor, std::chrono::milliseconds;
  const std::chrono::sys_time<milliseconds> point{milliseconds(time.value)};
  const auto day = floor<days>(point);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(point - day);
  char text[64];
  std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text;
}

// What has expired without a request, if something has.
std::string Expired(const Receipt& receipt) {
  if (receipt.expired_before.value == 0) return {};
  std::string text = " Events that this shard learned before index " +
                     std::to_string(receipt.expired_before.value);
  if (receipt.expired_time != kNoTime) {
    text += ", and so every event that arrived before " + InWords(receipt.expired_time) + ",";
  }
  return text + " are in no model since version " + std::to_string(receipt.expired_since.value) +
         ".";
}

std::string ExactlyPromised(const Receipt& receipt) {
  return "From model version " + std::to_string(receipt.model_version.value) +
         " on, this model is exactly what a run that never learned them or any event deleted "
         "before "
         "would have, with the same probability: nothing that it releases tells whether they were.";
}

std::string NotCertified(const Receipt& receipt) {
  std::string text = "No certificate is given, because: ";
  for (std::size_t i = 0; i < receipt.why_not.size(); ++i) {
    text += (i == 0 ? "" : "; ") + receipt.why_not[i];
  }
  return text + ".";
}

// A request that matched nothing known, in a mode whose draws cover what is no longer known.
std::string CoveredStatement(const Receipt& receipt, const ReceiptContext& context) {
  return Subject(receipt) +
         " named nothing that this shard still knows. What it learned before index " +
         std::to_string(receipt.expired_before.value) +
         " is no longer known event by event; every draw from model version " +
         std::to_string(receipt.expired_since.value) +
         " on covers all of it, whether it was under this name or not, and such a draw was made "
         "for this request. " +
         (receipt.why_not.empty()
              ? Promised(receipt, context) + " Models released earlier are not covered."
              : NotCertified(receipt)) +
         PassedOn(receipt);
}

}  // namespace

std::string Statement(const Receipt& receipt, const ReceiptContext& context) {
  const std::string who = Subject(receipt);
  switch (receipt.outcome) {
    case Outcome::kNothingLearned:
      return who +
             " named nothing that this shard has learned, so nothing had to be forgotten and "
             "the model was left as it is." +
             PassedOn(receipt);
    case Outcome::kNotRetained:
      if (context.covers_old) return CoveredStatement(receipt, context);
      return who + " named nothing that this shard retains. The model was left as it is." +
             Expired(receipt) + " This holds whether they were under this name or not." +
             PassedOn(receipt);
    case Outcome::kAlreadyForgotten:
      return who +
             " repeats an earlier one, whose receipt states what is promised and since "
             "when. The model was left as it is." +
             PassedOn(receipt);
    case Outcome::kRejected:
      return "A request for deletion could not be read (" +
             std::string(ReasonName(receipt.reason.value_or(Reason::kMalformed))) +
             "). Nothing was forgotten: its sender must send it again.";
    case Outcome::kForgotten: break;
  }
  std::string text = who + " was served: " + Count(receipt.events.size(), "event") +
                     (receipt.is_update            ? " was replaced and its old version forgotten. "
                      : receipt.events.size() == 1 ? " was forgotten. "
                                                   : " were forgotten. ");
  if (receipt.effective != receipt.received || receipt.by == EffectiveBy::kGroup) {
    text +=
        "Between the request and the moment it took effect, what was released still carried them. ";
  }
  const std::string expired = context.covers_old ? std::string() : Expired(receipt);
  if (receipt.why_not.empty()) {
    return text + (context.is_exact ? ExactlyPromised(receipt) : Promised(receipt, context)) +
           " Models released earlier are not covered." + expired;
  }
  return text + NotCertified(receipt) + expired;
}

std::vector<std::string> Assumptions(const Spec& spec, bool is_adaptive, Ledger::Blank blank) {
  std::vector<std::string> lines;
  if (!is_adaptive) {
    lines.emplace_back(
        "Neither this request nor the events learned between the deleted events and the moment it "
        "took effect (their content, their order, whether they were sent) depended on models or "
        "predictions released in that time.");
  }
  lines.emplace_back(
      "When events came, which were deleted and when, step sizes, noise levels, counts and "
      "receipts are public.");
  lines.emplace_back("The noise source is cryptographic and its output was never recorded.");
  if (blank == Ledger::Blank::kRegulariser) {
    lines.emplace_back(
        "In the world that is compared with, the deleted events stand for steps on the regulariser "
        "alone: each shrinks the model a little, as every event does, and says nothing else.");
  }
  if (spec.forgetting.guarantee == Guarantee::kPerRequest) {
    lines.emplace_back("Everybody else's data and requests are the same in both worlds compared.");
  }
  return lines;
}

std::vector<std::string> NotCoveredOf(const Spec& spec) {
  std::vector<std::string> lines;
  if (spec.learning.tuned_on == TunedOn::kPrivate) {
    lines.emplace_back(
        "What the settings of this model tell: they were chosen on data that may have been deleted "
        "since (learning.tuned_on: private).");
  }
  if (!spec.features.scale.file.empty() && !spec.features.scale.is_public) {
    lines.emplace_back(
        "What the means and deviations of features.scale tell: they were computed from data that "
        "may have been deleted since (public: false).");
  }
  return lines;
}

std::vector<std::string> NotCovered(const Spec& spec, bool keeps_secret, const Receipt& receipt) {
  std::vector<std::string> lines = {
      "Models and predictions released before the request took effect.",
      "Hyper-parameters chosen, or a warm start made, with data that was deleted later.",
      "Side channels such as timing and memory.",
      "The source topic, its backups and other systems that hold the data.",
  };
  for (std::string& line : NotCoveredOf(spec)) lines.push_back(std::move(line));
  if (keeps_secret) {
    lines.emplace_back(
        "The engine's own state (secret_state: yes): this mode keeps the model before its noise, "
        "and a person who reads that state is told more than this receipt promises.");
  }
  if (receipt.lacks_clock) {
    lines.emplace_back(
        "Expiry: forgetting.retention is a time, and no record so far carried a timestamp, so no "
        "event has expired.");
  }
  if (receipt.refuses_by_time) {
    lines.emplace_back(
        *receipt.refuses_by_time
            ? "Old events of this person, whose ids are no longer known, that are sent again "
              "without "
              "a timestamp of their producer, or with one after this request: they are learned as "
              "new ones."
            : "Old events of this person, whose ids are no longer known, that are sent again: this "
              "request carries no timestamp of its producer, so they are learned as new ones.");
  }
  return lines;
}

}  // namespace lethe
