#include "models/sm/issued_box.hpp"

#include <variant>

namespace tcsim::sm {
namespace {

/// What the lines of a box that `effect` copies ask of their slices.
memory::LineAccess access_of(isa::Effect effect) {
  if (isa::loads_tile(effect)) return memory::LineAccess::kRead;
  return effect == isa::Effect::kReduceTile ? memory::LineAccess::kReduction
                                            : memory::LineAccess::kWrite;
}

}  // namespace

IssuedBox box_of(const Kernel& kernel, const Warp& warp, const DecodedInstruction& instruction) {
  const auto& operand =
      std::get<isa::TileOperand>(warp.program->async[static_cast<std::size_t>(instruction.access)]);
  const isa::KernelLaunch& launch = kernel.launch();
  IssuedBox box;
  box.map = &launch.tensor_maps[static_cast<std::size_t>(operand.map)];
  box.base = launch.buffers[static_cast<std::size_t>(box.map->buffer)].base_address;
  for (const isa::Expression& coordinate : operand.coordinates)
    box.coordinates.push_back(isa::evaluate(coordinate, warp.bindings));
  box.access = access_of(instruction.effect);
  return box;
}

}  // namespace tcsim::sm
