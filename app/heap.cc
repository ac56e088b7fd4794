#include "app/heap.h"

#include <malloc.h>

namespace lethe {

// Large pieces come from the system and go back to it. Otherwise, once RocksDB has freed a larger
// one, what grows would leave holes in the heap of its own size. What a commit takes and gives back
// stays in the heap for the next one: to get it anew, page by page, would take longer than the
// commit.
void TuneHeap() {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

}  // namespace lethe
