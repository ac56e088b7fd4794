#pragma once

namespace lethe {

// Runs Kernel::Run with these arguments: compiled for the wide registers of the processor, if it
// has them, and otherwise for those that every one has. Run is to be always_inline, so that it is
// compiled here; the order in which it adds is its own, so the bits are the same either way.

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
