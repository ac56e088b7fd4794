#pragma once

#include <string>

#include "engine/base/status.h"

namespace lethe::kafka {

// The Status of an error code of librdkafka, which is not 0: kConfig when access rules, a missing
// topic or a setting prevent the operation, kInput when the data is at fault, otherwise
// kUnavailable. `what` names the operation; `detail` replaces librdkafka's text for the code if it
// is not empty.
Status FromError(int error, const std::string& what, const std::string& detail = "");

// Whether the error says that the topic or the partition does not exist. A broker that has just
// started may say so too early.
bool IsMissingTopic(int error);
bool IsDenied(int error);

}  // namespace lethe::kafka
