#pragma once

#include <string>

#include "sim/process/child_pool.hpp"

namespace tcsim::process {

/// Confines the process that calls it. All that needs memory is done by the constructor, in the
/// parent.
class Confiner {
 public:
  /// For a child that runs `program` with `options`. Throws IoError.
  Confiner(const Confinement& confinement, const std::string& program, const PoolOptions& options);
  ~Confiner();
  Confiner(const Confiner&) = delete;
  Confiner& operator=(const Confiner&) = delete;

  /// Async-signal-safe. False if a limit could not be set; errno says why.
  [[nodiscard]] bool confine_this_process() const;

 private:
  std::int64_t output_mib_;
  int descriptors_;
  double processor_s_;
  int rules_;  ///< a Landlock ruleset; -1 where the kernel has none
};

}  // namespace tcsim::process
