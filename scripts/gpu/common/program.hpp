#pragma once

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "scripts/gpu/common/errors.hpp"

namespace tcsim::measure {

/// Set by Ctrl-C; a program checks it between two measurements, so that every row is complete.
inline volatile std::sig_atomic_t interrupted = 0;

inline void stop_if_interrupted() {
  if (interrupted != 0) throw ProgramError(kInterrupted, "interrupted; the rows so far are kept");
}

/// Independent measurements: one that fails is named and the others continue.
class Parts {
 public:
  explicit Parts(const char* program) : program_(program) {}

  /// Throws ProgramError if interrupted or if `body` fails by a mistake of the user or of the disk.
  template <class Body>
  void run(const std::string& what, Body body) {
    stop_if_interrupted();
    try {
      body();
    } catch (const ProgramError& error) {
      if (error.status() != kStopped && error.status() != kNotCovered) throw;
      std::fprintf(stderr, "%s: %s: %s\n", program_, what.c_str(), error.what());
      missing_ += ' ' + what;
    }
  }

  /// Throws ProgramError if a part is missing.
  void require_all() const {
    if (!missing_.empty()) throw ProgramError(kStopped, "not measured:" + missing_);
  }

 private:
  const char* program_;
  std::string missing_;
};

/// Runs `body` and turns what it throws into a message on stderr and an exit status.
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
