#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "models/functional/matrix_unit.hpp"
#include "models/functional/shared_memory.hpp"
#include "models/functional/warp.hpp"
#include "models/isa/group_mma.hpp"
#include "models/isa/operands.hpp"

namespace tcsim::functional {

/// The products of the warpgroups of a CTA. Operands are read, and sums written, when the first
/// warp of the group waits for them. That is the latest moment that the hardware may choose, so
/// programs that overwrite operands or read sums too early get wrong values. The race detector
/// tracks which registers and bytes are in use until then.
class GroupProducts {
 public:
  using Failure = std::optional<numerics::Refusal>;

  /// `warps` of the CTA. All references outlive this object.
  GroupProducts(std::span<Warp> warps, SharedMemory& shared, MatrixUnit& unit);

  /// True if all four warps of the group of `warp` have reached the same instruction.
  [[nodiscard]] bool has_met(const Warp& warp) const;
  /// The group issues it. Refusals: kMistake for a descriptor whose start does not suit its
  /// swizzle, or an operand outside shared memory; kUnsupported as for MatrixUnit.
  [[nodiscard]] Failure issue(const Warp& warp);
  /// `warp` waits until at most `may_stay_open` groups are open.
  [[nodiscard]] Failure wait(const Warp& warp, int may_stay_open);
  /// `warp` has passed WARPGROUP.ARRIVE.
  void arrive(const Warp& warp) { fences_[index(warp)] = {.is_passed = true}; }
  /// Checks the next instruction of `warp` for races with open products.
  void check_registers(const Warp& warp);

 private:
  /// A product that has been issued.
  struct Product {
    Accessor who;
    const isa::Instruction* instruction = nullptr;
    isa::MatrixOperands operands;  ///< `start` fields with the variables bound to their values
    int group = 0;                 ///< number of the group in its warpgroup, from 0
  };
  struct Group {
    std::deque<Product> products;
    int closed = 0;  ///< number of closed groups
    int agent = 0;   ///< its agent in the CausalOrder
  };
  /// Registers of a warp that an open product uses.
  struct OpenRegisters {
    Accessor who;
    int group;
    isa::RegisterRange range;
    bool written;
  };

  using InstructionOfRegister = std::array<int, isa::kZeroRegister + 1>;
  static constexpr InstructionOfRegister kNone = [] {
    InstructionOfRegister none{};
    none.fill(isa::kNoIndex);
    return none;
  }();
  /// Which instructions other than products have accessed the registers of a warp since its last
  /// WARPGROUP.ARRIVE.
  struct Fence {
    bool is_passed = false;  ///< there was one
    InstructionOfRegister written = kNone;
    InstructionOfRegister read = kNone;
  };

  static std::size_t index(const Warp& warp) { return static_cast<std::size_t>(warp.id); }
  [[nodiscard]] std::span<Warp> warps_of(const Warp& warp) const;
  Group& group_of(const Warp& warp) { return groups_[index(warp) / isa::kGroupWarps]; }
  void open_registers(const Warp& warp, int group);
  void check_fence(const Warp& warp, const isa::RegisterRange& range,
                   const InstructionOfRegister& accessed);
  void touch(const Warp& warp, isa::RegisterRange range, bool writes);
  Failure open_operand(const Warp& warp, const isa::MatrixDescriptor& descriptor, int rows,
                       int pieces, const Clock& clock);
  [[nodiscard]] std::vector<std::uint32_t> read_operand(const isa::MatrixDescriptor& descriptor,
                                                        numerics::ElementType type, int rows,
                                                        int columns) const;
  template <typename Use>
  void for_each_piece(const isa::MatrixDescriptor& descriptor, int rows, int pieces, Use use) const;
  Failure execute(const Product& product, const Warp& waiting);

  std::span<Warp> warps_;
  SharedMemory& shared_;
  MatrixUnit& unit_;
  std::vector<Group> groups_;
  std::vector<std::vector<OpenRegisters>> open_;  ///< by warp
  std::vector<Fence> fences_;                     ///< by warp
};

}  // namespace tcsim::functional
