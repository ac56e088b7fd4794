#pragma once

#include <string>

#include "engine/base/status.h"

namespace lethe::kafka {

// The Status of one of librdkafka's error codes (not 0): kConfig for what access rules or a missing
// topic forbid, kInput for what is wrong with the data, else kUnavailable. `what` says what was
// tried, `detail` what librdkafka said, if it said more than the code does.
Status FromError(int error, const std::string& what, const std::string& detail = "");

// The topic or the partition does not exist, as far as the broker knows.
bool IsMissingTopic(int error);
bool IsDenied(int error);

}  // namespace lethe::kafka
