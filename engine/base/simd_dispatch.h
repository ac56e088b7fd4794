#pragma once

namespace lethe {

// Runs Pass::Run with these arguments: compiled for the wide registers of the processor, if it has
// them, and otherwise for those that every one has. Run is to be always_inline, so that it is
// compiled here; the order in which it adds is its own, so the bits are the same either way.

template <typename Pass, typename... Arguments>
[[gnu::optimize("O3")]] auto RunPlain(Arguments... arguments) {
  return Pass::Run(arguments...);
}

#if defined(__x86_64__) && !defined(LETHE_PORTABLE)

template <typename Pass, typename... Arguments>
[[gnu::optimize("O3")]] __attribute__((target("avx2"))) auto RunOnAvx2(Arguments... arguments) {
  return Pass::Run(arguments...);
}

inline const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;

template <typename Pass, typename... Arguments>
auto RunWide(Arguments... arguments) {
  return kHasAvx2 ? RunOnAvx2<Pass>(arguments...) : RunPlain<Pass>(arguments...);
}

#else

template <typename Pass, typename... Arguments>
auto RunWide(Arguments... arguments) {
  return RunPlain<Pass>(arguments...);
}

#endif

}  // namespace lethe
