#include "models/sm/issued_box.hpp"

#include <variant>

namespace tcsim::sm {

IssuedBox box_of(const Kernel& kernel, const Warp& warp, const DecodedInstruction& instruction) {
  const auto& operand =
      std::get<isa::TileOperand>(warp.program->async[static_cast<std::size_t>(instruction.access)]);
  const isa::KernelLaunch& launch = kernel.launch();
  IssuedBox box;
  box.map = &launch.tensor_maps[static_cast<std::size_t>(operand.map)];
  box.base = launch.buffers[static_cast<std::size_t>(box.map->buffer)].base_address;
  for (const isa::Expression& coordinate : operand.coordinates)
    box.coordinates.push_back(isa::evaluate(coordinate, warp.bindings));
  box.is_store = instruction.effect == isa::Effect::kStoreTile;
  return box;
}

}  // namespace tcsim::sm
