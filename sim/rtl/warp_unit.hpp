#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/numerics/instruction.hpp"

namespace tcsim::rtl {

/// One register of a warp: lane 0 first.
using RegisterImage = std::array<std::uint32_t, 32>;

/// A matrix instruction as the tensor core of a sub-core sees it: mma.sync m16n8 on Ampere, one
/// STEP of HMMA.884 on Volta, the 16 rows of a warp in a wgmma on Hopper.
struct WarpMma {
  numerics::ElementType input = numerics::ElementType::kFp16;
  numerics::ElementType accumulator = numerics::ElementType::kFp32;
  bool long_k = true;            ///< Ampere: k16 (FP16, BF16), k8 (TF32), k32 (INT8); otherwise
                                 ///< half of it.
  int step = 0;                  ///< Volta: 0..3, with FP16 accumulators 0..1.
  bool a_column_major = false;   ///< Volta.
  bool b_row_major = false;      ///< Volta.
  bool mixed_fp8 = false;        ///< Hopper: B has the other format of FP8.
  int row = -1;                  ///< For a machine's own core: instruction in its plan.
  std::vector<RegisterImage> a;  ///< As PTX numbers them; Volta reads A and B at step 0 only.
  std::vector<RegisterImage> b;  ///< Hopper: two for each 8 columns, as of mma.sync m16n8.
  std::vector<RegisterImage> c;  ///< Volta: the pair of the step. Hopper: if empty, zero.
};

/// In clock cycles: a unit that has not answered for this long never will.
inline constexpr int kUnitPatience = 1000;

/// A matrix unit at the registers of a warp, one clock cycle at a time:
///
///   if (unit->can_accept()) unit->accept(mma);
///   unit->clock();                       // one cycle; take_finished() has what is complete
class WarpUnit {
 public:
  /// D registers and the cycles in which they arrived.
  struct Result {
    std::vector<RegisterImage> d;
    std::int64_t accepted = 0;  ///< Cycle of the first operand register; identifies the result.
    std::int64_t finished = 0;  ///< Cycle in which the last D register left.
    /// Hopper: from here on the C of a dependent instruction may enter, one register per cycle.
    std::int64_t dependent_from = 0;
  };

  virtual ~WarpUnit() = default;

  /// True if the unit accepts an instruction in this cycle, in which its first registers enter.
  virtual bool can_accept() const = 0;
  /// Requires can_accept().
  virtual void accept(const WarpMma& mma) = 0;
  /// Runs one cycle. `result_ready`: the register file takes a result in it.
  virtual void clock(bool result_ready = true) = 0;
  /// Results complete so far and not yet taken, oldest first.
  virtual std::vector<Result> take_finished() = 0;
  /// Accepted instructions whose results are not complete.
  virtual int in_flight() const = 0;
  std::int64_t now() const { return now_; }

 protected:
  std::int64_t now_ = 0;
};

std::unique_ptr<WarpUnit> make_warp_unit_volta();
std::unique_ptr<WarpUnit> make_warp_unit_ampere();
std::unique_ptr<WarpUnit> make_warp_unit_hopper();

}  // namespace tcsim::rtl
