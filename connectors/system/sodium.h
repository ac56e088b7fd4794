#pragma once

namespace lethe {

// Initialises libsodium. Every class of this folder that uses libsodium calls it first.
// Thread-safe: only the first call does something. The program ends if the initialisation fails.
void PrepareSodium();

}  // namespace lethe
