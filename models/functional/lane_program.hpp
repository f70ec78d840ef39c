#pragma once

#include <cstdint>
#include <vector>

#include "models/functional/lanes.hpp"
#include "models/isa/launch.hpp"

namespace tcsim::functional {

/// An Expression evaluated for all lanes at once. Every term depends on one variable, so the part
/// that depends on the lane is the same in every CTA, warp and loop iteration: it is a table.
/// Quotients divide such sums lane by lane.
class LaneExpression {
 public:
  LaneExpression() = default;
  explicit LaneExpression(const isa::Expression& expression);

  /// The value in every lane; the lane in `bindings` is ignored.
  [[nodiscard]] LaneOffsets values(const isa::Bindings& bindings) const;

 private:
  struct LaneQuotient {
    isa::Quotient quotient;
    isa::Expression common;  ///< the sum, without the lane terms
    LaneOffsets lane_part;
  };

  isa::Expression common_;
  LaneOffsets lane_part_{};
  std::vector<LaneQuotient> quotients_;
};

/// A byte offset for every lane.
class LaneAddress {
 public:
  LaneAddress() = default;
  explicit LaneAddress(const isa::Address& address)
      : offset_(address.offset), swizzle_(address.swizzle) {}

  [[nodiscard]] LaneOffsets offsets(const isa::Bindings& bindings) const;

 private:
  LaneExpression offset_;
  isa::Swizzle swizzle_;
};

/// The lanes that take part.
class LaneGuard {
 public:
  explicit LaneGuard(const isa::Guard& guard);

  [[nodiscard]] LaneMask mask(const isa::Bindings& bindings) const;

 private:
  struct LaneBound {
    LaneExpression expression;
    std::int64_t limit;
  };
  std::vector<LaneBound> bounds_;
};

/// isa::MemoryAccess for all lanes.
struct LaneAccess {
  int buffer;
  LaneAddress global;
  LaneAddress shared;
  LaneGuard source;
};

/// A warp program with its addresses and guards prepared. Refers to the program it was made from.
class LaneProgram {
 public:
  explicit LaneProgram(const isa::WarpProgram& program);

  [[nodiscard]] const isa::WarpProgram& source() const { return *source_; }
  /// Requires an instruction of this program that has an access.
  [[nodiscard]] const LaneAccess& access_of(const isa::Instruction& instruction) const {
    return accesses_[static_cast<std::size_t>(instruction.access)];
  }
  /// The lanes in which `instruction` takes part; without a guard, all lanes.
  [[nodiscard]] LaneMask mask_of(const isa::Instruction& instruction,
                                 const isa::Bindings& bindings) const;

 private:
  const isa::WarpProgram* source_;
  std::vector<LaneAccess> accesses_;
  std::vector<LaneGuard> guards_;
};

}  // namespace tcsim::functional
