#pragma once

#include <string>

#include "sim/process/child_pool.hpp"

namespace tcsim::process {

/// Confines the process that calls it. The constructor, in the parent, does everything that needs
/// memory.
class Confiner {
 public:
  /// For a child that runs `program` with `options`. Throws IoError.
  Confiner(const Confinement& confinement, const std::string& program, const PoolOptions& options);
  ~Confiner();
  Confiner(const Confiner&) = delete;
  Confiner& operator=(const Confiner&) = delete;

  /// Async-signal-safe. False if a limit could not be set; errno holds the reason.
  [[nodiscard]] bool confine_this_process() const;

 private:
  std::int64_t output_mib_;
  int descriptors_;
  double processor_s_;
  int rules_;  ///< a Landlock ruleset; -1 if the kernel has no Landlock
};

}  // namespace tcsim::process
