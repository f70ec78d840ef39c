#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/functional/shared_memory.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/result.hpp"

namespace tcsim::functional {

/// Copies boxes of tensor maps between global and shared memory. A row of the box follows the other
/// in shared memory, its 16-byte pieces exchanged by the swizzle of the map.
class TileUnit {
 public:
  /// All outlive this object.
  TileUnit(const isa::KernelLaunch& launch, std::span<const std::span<std::uint8_t>> buffers,
           SharedMemory& shared)
      : launch_(launch), buffers_(buffers), shared_(shared) {}

  /// The copy that `operand` asks `issuer` for. Refusal kMistake: a place in shared memory outside
  /// it or not a multiple of 128 bytes.
  [[nodiscard]] numerics::Result<TileCopy> resolve(const isa::TileOperand& operand,
                                                   const isa::Bindings& bindings,
                                                   const Accessor& issuer) const;
  [[nodiscard]] int bytes_of(const TileCopy& copy) const { return map_of(copy).box_bytes(); }

  /// The box comes into shared memory, with zeros for what lies outside its tensor; returns its
  /// bytes.
  int land(const TileCopy& copy);
  /// The box leaves for its tensor, which holds it then, or the FP32 sums with it; elements outside
  /// stay behind.
  void store(const TileCopy& copy);

 private:
  template <typename Move>
  void for_each_piece(const TileCopy& copy, Move move) const;
  [[nodiscard]] const isa::TensorMap& map_of(const TileCopy& copy) const {
    return launch_.tensor_maps[static_cast<std::size_t>(copy.map)];
  }

  const isa::KernelLaunch& launch_;
  std::span<const std::span<std::uint8_t>> buffers_;
  SharedMemory& shared_;
};

}  // namespace tcsim::functional
