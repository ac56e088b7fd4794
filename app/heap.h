#pragma once

namespace lethe {

// Settings of the heap that suit a state with large tables. To be called once, before all else.
void TuneHeap();

}  // namespace lethe
