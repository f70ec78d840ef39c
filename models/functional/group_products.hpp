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

/// The products of the warpgroups of a CTA. Operands are read and sums written when the first warp
/// of the group waits for them: the latest moment that hardware may choose, so that operands that
/// are overwritten too early, and sums that are read too early, are wrong. Which registers and
/// bytes are in use until then, the race detector knows.
class GroupProducts {
 public:
  using Failure = std::optional<numerics::Refusal>;

  /// `warps` of the CTA. All outlive this object.
  GroupProducts(std::span<Warp> warps, SharedMemory& shared, MatrixUnit& unit);

  /// True if all four warps of the group of `warp` stand before the same instruction as it.
  [[nodiscard]] bool has_met(const Warp& warp) const;
  /// They issue it. Refusal kMistake: a descriptor that starts at no place for its swizzle, or an
  /// operand outside shared memory; kUnsupported: those of MatrixUnit.
  [[nodiscard]] Failure issue(const Warp& warp);
  /// `warp` waits until at most `may_stay_open` groups are open.
  [[nodiscard]] Failure wait(const Warp& warp, int may_stay_open);
  /// `warp` has passed WARPGROUP.ARRIVE.
  void arrive(const Warp& warp) { written_[index(warp)].fill(isa::kNoIndex); }
  /// Looks for races of the instruction that `warp` executes next with open products.
  void check_registers(const Warp& warp);

 private:
  /// A product that has been issued.
  struct Product {
    Accessor who;
    const isa::Instruction* instruction = nullptr;
    isa::MatrixOperands operands;  ///< starts bound to their values
    int group = 0;                 ///< of its warpgroup, from 0 on
  };
  struct Group {
    std::deque<Product> products;
    int closed = 0;  ///< groups that are closed
    int agent = 0;   ///< of the CausalOrder
  };
  /// Registers of a warp that an open product uses.
  struct OpenRegisters {
    Accessor who;
    int group;
    isa::RegisterRange range;
    bool written;
  };

  static std::size_t index(const Warp& warp) { return static_cast<std::size_t>(warp.id); }
  [[nodiscard]] std::span<Warp> warps_of(const Warp& warp) const;
  Group& group_of(const Warp& warp) { return groups_[index(warp) / isa::kGroupWarps]; }
  void open_registers(const Warp& warp, int group);
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
  /// By warp and register: the instruction that has written it since WARPGROUP.ARRIVE.
  std::vector<std::array<int, isa::kZeroRegister + 1>> written_;
};

}  // namespace tcsim::functional
