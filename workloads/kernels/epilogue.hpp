#pragma once

#include <memory>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/gather.hpp"
#include "workloads/kernels/raster.hpp"
#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// What a kernel stores: D, or the sums of its slice of k in the accumulator's format.
enum class Result : std::uint8_t { kProduct, kPartialSums };

/// Where row r and column c of a batch of D are stored: at element r * leading + c, or where
/// `scatter`, if there is one, puts the row. Batches are batch_stride elements apart. With
/// `column_block`, columns come in blocks of that many, block_stride elements apart.
struct OutputPlace {
  std::int64_t leading = 0;
  std::int64_t batch_stride = 0;
  std::int64_t column_block = 0;
  std::int64_t block_stride = 0;
  std::shared_ptr<const Scatter> scatter;

  OutputPlace() = default;
  /// Matrices stored one after another.
  explicit OutputPlace(const GemmProblem& problem)
      : leading(problem.n), batch_stride(problem.m * problem.n) {}

  /// Adds `factor` times the position of `column` in its row.
  void add_column(isa::Expression& sum, const isa::Expression& column, std::int64_t factor) const;
  /// The same for element number `element` of a batch whose rows of `columns` follow each other.
  void add_element(isa::Expression& sum, const isa::Expression& element, std::int64_t columns,
                   std::int64_t factor) const;
};

/// What an epilogue does with sums before it converts them: GemmEpilogue, with the numbers of its
/// operands' buffers.
struct EpiloguePost {
  static constexpr int kNone = -1;

  int scale_buffer = kNone;
  int bias_buffer = kNone;
  int residual_buffer = kNone;
  /// Sums that the previous slice stored, added first; slice 0 has none.
  int result_buffer = kNone;
  Activation activation = Activation::kNone;

  EpiloguePost() = default;
  /// The operands of `epilogue` are in consecutive buffers, from buffer `first` on.
  EpiloguePost(const GemmEpilogue& epilogue, int first);
  /// Serial split-K: each slice adds to what the previous one has stored in buffer `result`; the
  /// last slice also does the rest.
  [[nodiscard]] EpiloguePost adding_to(int result) const;

  [[nodiscard]] int vectors() const {
    return (scale_buffer != kNone ? 1 : 0) + (bias_buffer != kNone ? 1 : 0);
  }
  /// Buffers with one element for each element of D.
  [[nodiscard]] int matrices() const {
    return (result_buffer != kNone ? 1 : 0) + (residual_buffer != kNone ? 1 : 0);
  }
  /// True if the sums need FP32 arithmetic after them, other than adding earlier slices.
  [[nodiscard]] bool needs_singles() const {
    return vectors() > 0 || residual_buffer != kNone || activation != Activation::kNone;
  }
  [[nodiscard]] bool changes_values() const { return needs_singles() || result_buffer != kNone; }
  [[nodiscard]] bool needs_scratch() const {
    return matrices() > 0 || activation > Activation::kRelu;
  }
};

/// D = alpha * accumulators with alpha = 1 and beta = 0 (kernels.md 3). One group of rows after
/// another goes through shared memory, so that every thread ends up with whole vectors of a row.
/// There the sums of the warp groups are added in ascending order. Then they are scaled, pass as
/// FP32 numbers through the steps of `post`, are converted and stored. Partial sums are only
/// stored.
class Epilogue {
 public:
  /// `has_packing`: F2FP converts two FP32 at once (Ampere on); otherwise F2F and PRMT do.
  Epilogue(const GemmProblem& problem, const GemmTile& tile, const WarpGrid& warps,
           AccumulatorMap map, Result result, int buffer, OutputPlace place, EpiloguePost post,
           bool has_packing);

  /// Bytes of shared memory used.
  [[nodiscard]] int shared_bytes() const;
  /// Fewest registers that `emit` needs.
  [[nodiscard]] int registers() const { return set_registers() + post_registers(); }
  /// True if every thread keeps the same columns, so that the vectors of `post` fit its registers.
  [[nodiscard]] bool keeps_columns() const;

  /// Appends the epilogue. Values pass through [scratch, scratch + available); two row groups take
  /// turns there if they fit. Requires available >= registers() and scratch a multiple of four.
  void emit(ProgramBuilder& builder, AddressWork& work, const Raster& raster, int scratch,
            int available) const;

 private:
  [[nodiscard]] int staged_rows() const;
  [[nodiscard]] int staged_bytes() const { return staged_rows() * pitch_bytes(); }  ///< of a group
  [[nodiscard]] int row_vectors() const { return tile_.n / vector_elements_; }
  /// Log2 of the threads that share a row. Some of these have no vector if a row's number of
  /// vectors is not a power of two.
  [[nodiscard]] int row_bits() const { return bits_below(row_vectors()); }
  [[nodiscard]] int dealt_vectors() const { return staged_rows() << row_bits(); }
  /// Adds to `guard` that the thread has a vector, both in the row and in the group of rows.
  void bound_vector(isa::Guard& guard, int vector) const;
  [[nodiscard]] int pitch_bytes() const {
    return tile_.n * map_.element_bytes + map_.padding_bytes;
  }
  [[nodiscard]] int vectors_per_thread() const;
  /// Registers for a thread's vectors of one row group.
  [[nodiscard]] int set_registers() const {
    return vectors_per_thread() * vector_registers() * (needs_second_set() ? 2 : 1);
  }
  /// Registers for the thread's elements of the operands of `post`, in whole 128-bit units.
  [[nodiscard]] int operand_registers() const;
  /// The same, plus registers for FP32 numbers and scratch.
  [[nodiscard]] int post_registers() const;
  /// Registers for one row group's part of a matrix that `post` adds.
  [[nodiscard]] int matrix_registers() const;
  /// First of these registers, if the registers of `post` begin at `first`.
  [[nodiscard]] int result_register(int first, int vector) const;
  [[nodiscard]] int residual_register(int first, int vector) const;
  /// First register of the FP32 numbers of the sums in `values`; FP16 sums have separate registers
  /// for them.
  [[nodiscard]] int singles_register(int values, int first) const;
  [[nodiscard]] bool widens() const {
    return post_.needs_singles() && problem_.accumulate == Element::kFp16;
  }
  [[nodiscard]] int post_vector_registers() const;
  [[nodiscard]] int vector_registers() const;
  /// True if scaling also puts swapped columns in order, in separate registers.
  [[nodiscard]] bool exchanges() const;
  [[nodiscard]] bool needs_second_set() const { return exchanges() || warps_.groups > 1; }
  [[nodiscard]] bool reads_two_chunks() const;
  [[nodiscard]] bool has_odd_pitch() const;
  [[nodiscard]] isa::Swizzle swizzle() const;
  /// The part of a thread's vector `vector` that counts vectors in a row, and bit `bit` of its
  /// staged row.
  void add_column(isa::Expression& sum, int vector, std::int64_t weight) const;
  void add_row_bit(isa::Expression& sum, int vector, int bit, std::int64_t weight) const;
  Instructions stage(ProgramBuilder& builder, const AddressWork& work, const RowGroup& group) const;
  Instructions fetch(ProgramBuilder& builder, const AddressWork& work, int vector, int group,
                     int first) const;
  /// Adds the sums of the other warp groups to `vectors` vectors from `first` on, through `second`.
  Instructions add_groups(ProgramBuilder& builder, const AddressWork& work, int first,
                          int second) const;
  [[nodiscard]] Instructions scale(int first, int result) const;
  /// Loads the thread's elements of the vectors of `post` into registers from `first` on.
  Instructions load_post(ProgramBuilder& builder, const AddressWork& work, const Raster& raster,
                         int first) const;
  /// Applies `post` to the sums of vector number `vector` in `values`; the result is in
  /// singles_register.
  [[nodiscard]] Instructions apply_post(int values, int vector, int first) const;
  /// Where a vector of D is stored, and which threads have one.
  struct VectorPlace {
    isa::Address address;
    isa::Guard guard;
  };
  [[nodiscard]] VectorPlace place_of(const Raster& raster, const RowGroup& group, int vector) const;
  /// Loads the row group's part of the matrices that `post` adds into their registers from `first`
  /// on.
  Instructions load_matrices(ProgramBuilder& builder, const AddressWork& work, const Raster& raster,
                             const RowGroup& group, int first) const;
  /// Adds the sums of an earlier slice, which are in registers from `result` on.
  [[nodiscard]] Instructions add_result(int values, int result, int scratch) const;
  isa::Instruction store_vector(ProgramBuilder& builder, const AddressWork& work,
                                const Raster& raster, const RowGroup& group, int vector,
                                int data) const;

  GemmProblem problem_;  ///< with the stored format as its output
  GemmTile tile_;
  WarpGrid warps_;
  AccumulatorMap map_;
  Result result_;
  int buffer_;
  OutputPlace place_;
  EpiloguePost post_;
  bool has_packing_;
  int vector_elements_;  ///< elements of D stored at once
  ThreadDeal deal_;
};

}  // namespace tcsim::kernels
