#pragma once

#include <string>

#include "models/numerics/result.hpp"
#include "sim/errors/errors.hpp"

namespace tcsim::mma {

/// Throws a refusal of models/numerics as `place: reason`: UsageError for a mistake, otherwise
/// NotCovered.
[[noreturn]] inline void refuse(const std::string& place, const numerics::Refusal& refusal) {
  const std::string message = place + ": " + refusal.reason;
  if (refusal.kind == numerics::Refusal::Kind::kMistake) throw UsageError(message);
  throw NotCovered(message);
}

}  // namespace tcsim::mma
