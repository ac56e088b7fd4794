#pragma once

namespace lethe {

// The header of a delete that another shard has sent to this partition, because this shard learned
// the events. Such a delete is not looked up on other shards, so it cannot be sent round in
// circles.
inline constexpr char kRerouteHeader[] = "lethe.rerouted";

}  // namespace lethe
