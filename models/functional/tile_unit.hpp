#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/functional/shared_memory.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/result.hpp"

namespace tcsim::functional {

/// Copies boxes between global and shared memory. A row of the box follows the other in shared
/// memory, its 16-byte pieces exchanged by the swizzle of its tensor map.
class TileUnit {
 public:
  /// All outlive this object.
  TileUnit(const isa::KernelLaunch& launch, std::span<const std::span<std::uint8_t>> buffers,
           SharedMemory& shared)
      : launch_(launch), buffers_(buffers), shared_(shared) {}

  /// The copy that `operand` asks `issuer` for. Refusal kMistake: a place in shared memory outside
  /// it or not a multiple of 128 bytes, for bytes in a row of 16; a row of another length than
  /// RowOperand allows, outside its buffer or not at a multiple of 16 bytes.
  [[nodiscard]] numerics::Result<TileCopy> resolve(const isa::TileOperand& operand,
                                                   const isa::Bindings& bindings,
                                                   const Accessor& issuer) const;
  /// Why the row that `operand` names is none, or not of its buffer; empty if it is.
  [[nodiscard]] std::string row_problem(const isa::TileOperand& operand,
                                        const isa::Bindings& bindings) const {
    return row_problem(isa::box_of(launch_, operand, bindings));
  }
  /// Why shared memory of `size` bytes cannot hold `box` from `offset` on; empty if it can.
  static std::string place_problem(const isa::Box& box, std::int64_t offset, std::int64_t size);

  /// The box comes into shared memory, with zeros for what lies outside its tensor; returns its
  /// bytes.
  int land(const TileCopy& copy);
  /// The box leaves for its tensor, which holds it then, or the FP32 sums with it; elements outside
  /// stay behind.
  void store(const TileCopy& copy);

 private:
  template <typename Move>
  void for_each_piece(const TileCopy& copy, Move move) const;
  [[nodiscard]] std::string row_problem(const isa::Box& box) const;
  [[nodiscard]] std::span<std::uint8_t> buffer_of(const isa::Box& box) const {
    return buffers_[static_cast<std::size_t>(box.buffer)];
  }

  const isa::KernelLaunch& launch_;
  std::span<const std::span<std::uint8_t>> buffers_;
  SharedMemory& shared_;
};

}  // namespace tcsim::functional
