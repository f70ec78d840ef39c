#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/functional/shared_memory.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/result.hpp"

namespace tcsim::functional {

/// Copies boxes between global and shared memory. The rows of a box are consecutive in shared
/// memory; the swizzle of the tensor map permutes their 16-byte pieces.
class TileUnit {
 public:
  /// All references outlive this object.
  TileUnit(const isa::KernelLaunch& launch, std::span<const std::span<std::uint8_t>> buffers,
           SharedMemory& shared)
      : launch_(launch), buffers_(buffers), shared_(shared) {}

  /// The copy that `operand` requests for `issuer`. Refusal kMistake: a place outside shared memory
  /// or not a multiple of 128 bytes (for contiguous bytes, of 16); a row with a length that
  /// RowOperand does not allow, outside its buffer, or not at a multiple of 16 bytes.
  [[nodiscard]] numerics::Result<TileCopy> resolve(const isa::TileOperand& operand,
                                                   const isa::Bindings& bindings,
                                                   const Accessor& issuer) const;
  /// Why the row that `operand` names is invalid or outside its buffer; empty if it is not.
  [[nodiscard]] std::string row_problem(const isa::TileOperand& operand,
                                        const isa::Bindings& bindings) const {
    return row_problem(isa::box_of(launch_, operand, bindings));
  }
  /// Why shared memory of `size` bytes cannot hold `box` from `offset` on; empty if it can.
  static std::string place_problem(const isa::Box& box, std::int64_t offset, std::int64_t size);

  /// Copies the box into shared memory, with zeros for elements outside its tensor; returns its
  /// size in bytes.
  int land(const TileCopy& copy);
  /// Writes the box to its tensor, or adds it as FP32; elements outside the tensor are dropped.
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
