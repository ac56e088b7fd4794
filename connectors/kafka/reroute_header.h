#pragma once

namespace lethe {

// The header of a delete that another shard has sent to this partition, because this shard has
// learned the events or may have, or because nobody has and this shard has forgotten them. Such a
// delete is never passed on again, so it cannot be sent round in circles.
inline constexpr char kRerouteHeader[] = "lethe.rerouted";

}  // namespace lethe
