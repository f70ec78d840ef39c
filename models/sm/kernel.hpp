#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"
#include "models/sm/access_patterns.hpp"
#include "models/sm/decode.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// A launch prepared for SMs with given parameters. All SMs share it and may run on different host
/// threads; it is read-only except for the caches of its patterns.
class Kernel {
 public:
  /// The code of the launch is in code memory from line `first_line` on, program after program; its
  /// constants start at `constant_line`.
  Kernel(const isa::KernelLaunch& launch, const SmParams& params, const isa::TimingTable& timing,
         std::uint32_t first_line = 0, std::uint32_t constant_line = 0);

  /// The line after the last one that the programs of `launch` fill when their code starts at
  /// `first`: they occupy [first, end).
  static std::uint32_t end_line(const isa::KernelLaunch& launch,
                                const InstructionFetchParams& fetch, std::uint32_t first);
  std::uint32_t end_line() const { return end_line_; }
  std::uint32_t constant_line() const { return constant_line_; }

  const isa::KernelLaunch& launch() const { return launch_; }
  const DecodedProgram& program_of_warp(int warp) const {
    return programs_[static_cast<std::size_t>(
        launch_.program_of_warp[static_cast<std::size_t>(warp)])];
  }

  /// The access of pattern number `pattern` in the recording.
  const DecodedAccess& recorded_access(int pattern) const {
    return recorded_accesses_[static_cast<std::size_t>(pattern)];
  }

  const AccessPatterns& patterns() const { return patterns_; }

 private:
  const isa::KernelLaunch launch_;
  std::vector<DecodedProgram> programs_;
  std::vector<DecodedAccess> recorded_accesses_;
  AccessPatterns patterns_;
  std::uint32_t end_line_;
  std::uint32_t constant_line_;
};

}  // namespace tcsim::sm
