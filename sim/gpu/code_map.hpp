#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/isa/launch.hpp"
#include "models/sm/params.hpp"

namespace tcsim::gpu {

/// Where the code of kernels is in code memory. Launches of the same instructions share their code,
/// whatever their grids and iteration counts, so that caches still hold what an earlier launch has
/// executed.
class CodeMap {
 public:
  explicit CodeMap(sm::InstructionFetchParams fetch) : fetch_(std::move(fetch)) {}

  /// The first line of the code of `launch`.
  std::uint32_t place(const isa::KernelLaunch& launch);

  /// Lines placed so far: [0, lines()).
  std::uint32_t lines() const { return lines_; }

 private:
  using Code = std::vector<std::vector<isa::Instruction>>;
  struct Placed {
    Code code;
    std::uint32_t first_line;
  };

  const sm::InstructionFetchParams fetch_;
  std::vector<Placed> placed_;
  std::uint32_t lines_ = 0;
};

}  // namespace tcsim::gpu
