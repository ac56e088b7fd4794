// The settings of jemalloc, which it looks up under this name when the program starts. librdkafka
// allocates every message in one thread and we free it in another: glibc's heap makes them wait for
// each other. Few arenas, and pages given back soon, keep the memory within what docs/running.md
// says.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:2,dirty_decay_ms:500,muzzy_decay_ms:0";
}
