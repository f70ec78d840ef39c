#include "sim/process/verdict.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

namespace tcsim::process {
namespace {

/// Messages of the C++ library, of C programs, of the dynamic linker.
constexpr std::array kWordsOfNoMemory{"bad_alloc", "annot allocate memory",
                                      "failed to map segment"};

Cause cause_of(const ChildResult& ending) {
  if (ending.timed_out || ending.signal == SIGXCPU) return Cause::kTimeLimit;
  if (ending.signal == SIGXFSZ) return Cause::kOutput;
  const bool lacks_memory = std::ranges::any_of(kWordsOfNoMemory, [&](const char* words) {
    return ending.errors.find(words) != std::string::npos;
  });
  if (lacks_memory && (ending.signal != 0 || ending.status != 0)) return Cause::kMemory;
  if (ending.signal == SIGKILL) return Cause::kKilled;
  return ending.signal == 0 ? Cause::kItself : Cause::kCrash;
}

std::string signal_words(int signal) {
  const char* const name = ::sigdescr_np(signal);
  return "ended by signal " + std::to_string(signal) +
         (name == nullptr ? "" : " (" + std::string(name) + ")");
}

}  // namespace

Verdict verdict_of(const ChildResult& ending) {
  const Cause cause = cause_of(ending);
  switch (cause) {
    case Cause::kItself:
      return {cause, "status " + std::to_string(ending.status)};
    case Cause::kTimeLimit:
      return {cause, "took too long"};
    case Cause::kMemory:
      return {cause, "had not enough memory"};
    case Cause::kOutput:
      return {cause, "wrote more than it may"};
    case Cause::kKilled:
    case Cause::kCrash:
      break;
  }
  return {cause, signal_words(ending.signal)};
}

}  // namespace tcsim::process
