#pragma once

#include <optional>

#include <cstddef>

#include "models/functional/global_order.hpp"
#include "models/functional/lane_program.hpp"
#include "models/functional/register_file.hpp"
#include "models/functional/shared_memory.hpp"

namespace tcsim::functional {

/// The state of one running warp of a CTA.
struct Warp {
  int id = 0;     ///< number in its CTA
  int agent = 0;  ///< number in its cluster, CTA by CTA
  const LaneProgram* program = nullptr;
  std::size_t next = 0;  ///< index of the instruction to execute next
  bool exited = false;
  bool at_barrier = false;
  std::optional<int> meeting{};  ///< the barrier of some warps at which it waits
  isa::Bindings bindings{};      ///< lane unused
  RegisterFile registers;
  CopyGroups copies;
  std::uint32_t flag = 0;  ///< first lane of the word that its last LDG.E.STRONG.GPU loaded
  FlagPlace flag_place{};  ///< address of that word

  [[nodiscard]] const isa::Instruction& instruction() const {
    return program->source().instructions[next];
  }
  [[nodiscard]] Accessor accessor() const { return {agent, static_cast<int>(next)}; }
};

}  // namespace tcsim::functional
