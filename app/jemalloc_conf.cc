// The settings of jemalloc, which reads the variable of this name when the program starts.
// librdkafka allocates every message in one thread and Lethe frees it in another; in glibc's heap
// the two threads would wait for each other. Few arenas, and pages that are given back soon, keep
// the memory within the figures of docs/running.md.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:2,dirty_decay_ms:500,muzzy_decay_ms:0";
}
