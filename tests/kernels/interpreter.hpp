#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::kernels::testing {

/// When an LDGSTS writes shared memory: kernels must be right for both ends of what hardware may
/// do.
enum class CopyTime { kAtIssue, kAtWait };

/// What a run of a launch found, besides the values.
struct Findings {
  std::vector<std::string> errors;             ///< races, accesses out of range; the first few
  std::map<isa::Opcode, std::int64_t> issued;  ///< warp instructions
  std::int64_t wavefronts = 0;                 ///< of shared memory, with bank conflicts
  std::int64_t conflict_free_wavefronts = 0;
};

/// Runs `launch` on `memory`, one byte vector per buffer, in plain arithmetic. Shared memory starts
/// as NaNs. Warps run from barrier to barrier; a shared byte may not be read by one warp and
/// written by another between two barriers, nor touched while an asynchronous copy to it is open.
/// `store_counts` gets the number of stores to each byte of D's buffer (the first that is not an
/// input), `load_counts` per CTA and buffer the number of loads of each byte.
class Interpreter {
 public:
  Interpreter(const isa::KernelLaunch& launch, CopyTime copy_time)
      : launch_(launch), copy_time_(copy_time) {}

  Findings run(std::vector<std::vector<std::uint8_t>>& memory);

  std::vector<std::uint8_t> store_counts;
  std::vector<std::vector<std::vector<std::uint8_t>>> load_counts;  ///< [cta][buffer][byte]

 private:
  const isa::KernelLaunch& launch_;
  CopyTime copy_time_;
};

}  // namespace tcsim::kernels::testing
