#pragma once

#include <optional>

#include <cstddef>

#include "models/functional/global_order.hpp"
#include "models/functional/lane_program.hpp"
#include "models/functional/register_file.hpp"
#include "models/functional/shared_memory.hpp"

namespace tcsim::functional {

/// The state of one warp of a CTA that runs.
struct Warp {
  int id = 0;     ///< in its CTA
  int agent = 0;  ///< in its cluster, CTA by CTA
  const LaneProgram* program = nullptr;
  std::size_t next = 0;  ///< index of the instruction to execute next
  bool exited = false;
  bool at_barrier = false;
  std::optional<int> meeting{};  ///< of a barrier of some warps, the one at which it waits
  isa::Bindings bindings{};      ///< lane unused
  RegisterFile registers;
  CopyGroups copies;
  std::uint32_t flag = 0;  ///< the word that its LDG.E.STRONG.GPU has loaded last, first lane
  FlagPlace flag_place{};  ///< where that was

  [[nodiscard]] const isa::Instruction& instruction() const {
    return program->source().instructions[next];
  }
  [[nodiscard]] Accessor accessor() const { return {agent, static_cast<int>(next)}; }
};

}  // namespace tcsim::functional
