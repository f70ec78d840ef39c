#pragma once

#include "workloads/kernels/epilogue.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels::warpgroups {

/// How a consumer of a warp-specialised kernel stores its share of a tile of D. Each box, 64 rows
/// of up to 128 bytes, goes through one of two buffers of shared memory and is stored by TMA.
/// Before that, sums are multiplied by alpha = 1, pass as FP32 numbers through the problem's
/// epilogue, and are converted. The parts of scale, bias and C that a box needs are loaded while
/// the previous box is stored; those of the first box are loaded before the products of the tile.
/// Swapped, a box has 128 bytes of rows for each of its columns.
///
/// With block scales, D is stored as in DeepGEMM's first version. All consumers put their rows,
/// without swizzle, into one box of the whole tile (for FP32, boxes of 64 rows). One warp sends the
/// box, waits until it has been read and meets the others at the start of the next tile.
class WarpgroupEpilogue {
 public:
  /// Buffers of scale, bias and C follow A, B and D. All outlive this object.
  WarpgroupEpilogue(const WarpgroupPlan& shape, const Walk& walk, ProgramBuilder& builder);

  /// Number of registers in use, counted from 0 on, including those of the sums.
  static int registers(const WarpgroupPlan& shape);

  /// The first register after them at which a 128-bit access may begin.
  static int first_spare(const WarpgroupPlan& shape) {
    return align_up(registers(shape), kVectorRegisters);
  }

  /// Call before the products of a tile. Requires that the last box of the previous tile has been
  /// stored.
  void begin();
  /// Stores the tile. Requires complete sums and a call of begin().
  void store();

 private:
  /// Where box `number` of the consumer's share begins (its block of 64 rows, its first column, and
  /// the register of its first sums) and how many columns it has.
  struct Box {
    int number;
    int block;
    int column;
    int sums;
    int columns;
    [[nodiscard]] int eights() const { return columns / 8; }
  };
  [[nodiscard]] Box box(int number) const;
  [[nodiscard]] isa::Expression row(const Box& box, std::int64_t weight) const;
  [[nodiscard]] isa::Expression column(const Box& box, std::int64_t weight) const;
  /// Where box `number` is in shared memory, and where the consumer's part of it is.
  [[nodiscard]] isa::Expression buffer(int number) const;
  [[nodiscard]] isa::Expression place(int number) const;
  void load_operands(int number);
  void load_vector(int buffer, int first, const Box& box);
  void load_vector_of_rows(int buffer, int first, const Box& box);
  void load_residual(const Box& box);
  /// Applies scale, bias and C to the two FP32 numbers from `values` on, which belong to columns
  /// 8 * eight + 2 (lane mod 4) and the next.
  void add_operands(int values, int eight, int half);
  void finish_singles(const Box& box);
  void finish_pairs(const Box& box);
  void finish(const Box& box);
  void stage(const Box& box);
  void stage_words(const Box& box);
  /// Swapped: columns become rows of shared memory by STSM.T; words of 32 bits are stored one by
  /// one.
  void stage_columns(const Box& box);
  void stage_single_columns(const Box& box);
  void send(const Box& box);
  void meet(int times);
  void store_whole_tile();

  const WarpgroupPlan& shape_;
  const Walk& walk_;
  ProgramBuilder& builder_;
  const EpiloguePost post_;
  int scale_ = 0;  ///< first registers
  int bias_ = 0;
  int residual_ = 0;
  int scratch_ = 0;
  int singles_ = 0;  ///< of a register of FP16 sums
  int end_ = 0;
};

}  // namespace tcsim::kernels::warpgroups
