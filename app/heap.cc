#include "app/heap.h"

#include <malloc.h>

namespace lethe {

// Large pieces come from the system and go back to it. Otherwise, once RocksDB has freed a larger
// one, what grows would leave holes in the heap of its own size. What librdkafka fetches at a time,
// and what a commit takes, stays in the heap when it is given back: to get it anew, page by page,
// would take longer than to use it.
void TuneHeap() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

}  // namespace lethe
