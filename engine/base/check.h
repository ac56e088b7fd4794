#pragma once

#include <cstdio>
#include <cstdlib>

// An assertion that stays on in release builds and aborts the process. It is for programming
// errors; an error that can happen in the field is a Status. A wrong certificate is worse than a
// stopped process.
#define LETHE_CHECK(condition)                                                              \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      std::fprintf(stderr, "lethe: internal error: %s does not hold (%s:%d)\n", #condition, \
                   __FILE__, __LINE__);                                                     \
      std::abort();                                                                         \
    }                                                                                       \
  } while (false)
