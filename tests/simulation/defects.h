#pragma once

namespace lethe::simulation {

// Mistakes that the simulation can make on purpose, in its ports and never in the product. A test
// plants each one and expects a check to find it.
enum class Defect {
  kNone,
  kAcksBeforeDelivery,       // the output says that everything arrived while it is on its way
  kForgetsPassOn,            // every third request for another shard is never sent
  kHidesPassOn,              // a commit is not told that requests for others are on their way
  kPublishesBeforeDurable,   // a receipt goes out when it is written, not when it is committed
  kReportsDurableTooEarly,   // a synced commit is only written
  kDrawsAnew,                // seeded noise depends on when the process started
  kErasedTooEarly,           // the notice comes without the erasure
  kLosesDeadLetter,          // every second dead letter is never sent
  kSkipsRelease,             // receipts are published without their model
  kPublishesFromWrongEntry,  // a start leaves out the first entry that is not published
  kForgetsOpenNote,          // the offset of the oldest open request is not stored
  kForgetsDuplicates,        // events of an earlier process are not recognised
  kForgetsRefusals,          // deletes of an earlier process are not recognised
  kSkipsRecord,              // a start goes on one record too late
  kKeepsSnapshots,           // snapshots that knew a forgotten event stay
  kSkipsMark,                // a drawn model is released unmarked
  kTearsCommit,              // a power cut leaves half of a commit
  kForgetsReleased,          // that a deleted event is still in the model of rewind is not stored
  kReleasesUnsettled,        // a model is released while its commit is on its way to the disk
  kCount,
};

inline const char* Name(Defect defect) {
  constexpr const char* kNames[] = {"none",
                                    "acks-before-delivery",
                                    "forgets-pass-on",
                                    "hides-pass-on",
                                    "publishes-before-durable",
                                    "reports-durable-too-early",
                                    "draws-anew",
                                    "erased-too-early",
                                    "loses-dead-letter",
                                    "skips-release",
                                    "publishes-from-wrong-entry",
                                    "forgets-open-note",
                                    "forgets-duplicates",
                                    "forgets-refusals",
                                    "skips-record",
                                    "keeps-snapshots",
                                    "skips-mark",
                                    "tears-commit",
                                    "forgets-released",
                                    "releases-unsettled"};
  return kNames[static_cast<int>(defect)];
}

}  // namespace lethe::simulation
