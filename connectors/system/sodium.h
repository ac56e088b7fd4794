#pragma once

namespace lethe {

// Makes libsodium ready. Everything here that uses it calls this first: libsodium itself sees to it
// that only the first call does something, from whatever thread.
void PrepareSodium();

}  // namespace lethe
