#include "connectors/system/sodium.h"

#include <sodium.h>

#include "engine/base/check.h"

namespace lethe {

// It fails only if the operating system provides no randomness. Without randomness the noise could
// be guessed, so the program must not go on.
void PrepareSodium() { LETHE_CHECK(sodium_init() >= 0); }

}  // namespace lethe
