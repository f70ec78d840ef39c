#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// A line of the text of a program (docs/tct.md), without its indentation.
struct ProgramLine {
  int instruction = isa::kNoIndex;  ///< kNoIndex: a uniform, or the first line of a loop
  int depth = 0;                    ///< number of loops around it
  std::string text{};
};

/// "program main warps 0-3,6": the line before those of program `index`.
std::string program_heading(const isa::KernelLaunch& launch, int index);

/// The lines of program `index`. Requires a canonical launch without a recording.
std::vector<ProgramLine> program_lines(const isa::KernelLaunch& launch, int index);

/// The text of every instruction of every program as in these lines, except that the end of a loop
/// is its BRA. Requires a launch that isa::validate accepts, without a recording.
std::vector<std::vector<std::string>> instruction_texts(const isa::KernelLaunch& launch);

}  // namespace tcsim::trace
