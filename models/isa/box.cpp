#include "models/isa/box.hpp"

#include <algorithm>

namespace tcsim::isa {

int Box::row_bytes() const {
  if (map != nullptr) return map->box_row_bytes();
  return static_cast<int>(std::clamp<std::int64_t>(length, 0, RowOperand::kMostBytes));
}

BoxRow Box::row(int number) const {
  if (map != nullptr) return box_row(*map, coordinates, number);
  return {offset, 0, row_bytes()};
}

std::vector<BufferRange> Box::rows_inside() const {
  const int count = rows();
  std::vector<BufferRange> inside;
  inside.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const BoxRow of = row(i);
    if (of.first < of.end) inside.push_back({of.offset + of.first, of.end - of.first});
  }
  return inside;
}

Box box_of(const KernelLaunch& launch, const TileOperand& operand, const Bindings& bindings) {
  Box box;
  if (operand.row) {
    box.buffer = operand.row->buffer;
    box.offset = evaluate(operand.row->offset, bindings);
    box.length = evaluate(operand.row->bytes, bindings);
    return box;
  }
  box.map = &launch.tensor_maps[static_cast<std::size_t>(operand.map)];
  box.buffer = box.map->buffer;
  for (const Expression& coordinate : operand.coordinates)
    box.coordinates.push_back(evaluate(coordinate, bindings));
  return box;
}

}  // namespace tcsim::isa
