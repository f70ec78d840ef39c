#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::traceg::testing {

/// One executed instruction of a warp, addresses resolved.
struct Step {
  std::string mnemonic;
  isa::Register dst = isa::kZeroRegister;
  decltype(isa::Instruction::src) src{};
  std::uint32_t lanes = 0;
  std::vector<std::int64_t> addresses{};  ///< of the lanes that take part; copies of TMA: of the
                                          ///< first piece
  std::int64_t barrier = 0;               ///< the others: isa::RecordedStep
  std::int64_t value = 0;
  isa::RecordedBox box{};

  bool operator==(const Step&) const = default;
};
void PrintTo(const Step& step, std::ostream* out);

/// The steps that the recording of `launch` contains for one warp. EXIT and instructions without
/// memory have no lanes to compare, except BAR.
std::vector<Step> recorded_steps(const isa::KernelLaunch& launch,
                                 const std::array<std::int64_t, 3>& cta, int warp);

/// The same for a launch with programs, from a walk through them. Operands are those that the form
/// carries: literals and operands that the opcode lacks are RZ.
std::vector<Step> walked_steps(const isa::KernelLaunch& launch,
                               const std::array<std::int64_t, 3>& cta, int warp);

}  // namespace tcsim::traceg::testing
