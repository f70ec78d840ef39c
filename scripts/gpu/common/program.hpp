#pragma once

#include <csignal>
#include <cstdio>
#include <exception>

#include "scripts/gpu/common/errors.hpp"

namespace tcsim::measure {

/// Set by Ctrl-C; a program looks at it between two measurements, so that every row is whole.
inline volatile std::sig_atomic_t interrupted = 0;

inline void stop_if_interrupted() {
  if (interrupted != 0) throw ProgramError(kInterrupted, "interrupted; the rows so far are kept");
}

/// Runs `body` and turns what it throws into a sentence on stderr and an exit status.
template <class Body>
int run_program(const char* name, Body body) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  try {
    body();
    return kDone;
  } catch (const ProgramError& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return error.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return kStopped;
  }
}

}  // namespace tcsim::measure
