#pragma once

namespace lethe {

// Dispatch<Kernel>(arguments...) calls Kernel::Run compiled for AVX2 if the processor has it, and
// compiled for the baseline otherwise. Run must be always_inline, so that it is compiled into both
// callers. Run fixes the order of its additions itself, so both versions give the same bits.

template <typename Kernel, typename... Arguments>
[[gnu::optimize("O3")]] auto RunPortable(Arguments... arguments) {
  return Kernel::Run(arguments...);
}

#if defined(__x86_64__) && !defined(LETHE_PORTABLE)

template <typename Kernel, typename... Arguments>
[[gnu::optimize("O3")]] __attribute__((target("avx2"))) auto RunOnAvx2(Arguments... arguments) {
  return Kernel::Run(arguments...);
}

inline const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;

template <typename Kernel, typename... Arguments>
auto Dispatch(Arguments... arguments) {
  return kHasAvx2 ? RunOnAvx2<Kernel>(arguments...) : RunPortable<Kernel>(arguments...);
}

#else

template <typename Kernel, typename... Arguments>
auto Dispatch(Arguments... arguments) {
  return RunPortable<Kernel>(arguments...);
}

#endif

}  // namespace lethe
