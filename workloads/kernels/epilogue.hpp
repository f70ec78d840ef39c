#pragma once

#include <memory>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/gather.hpp"
#include "workloads/kernels/raster.hpp"
#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// What a kernel stores: D, or sums of its slice of k in the accumulator's format.
enum class Result : std::uint8_t { kProduct, kPartialSums };

/// Where row r and column c of a batch of D lie: element r * leading + c, and `scatter` in place of
/// the rows if there is one. Batches are batch_stride elements apart. With `column_block` columns
/// lie in blocks of as many, block_stride elements apart.
struct OutputPlace {
  std::int64_t leading = 0;
  std::int64_t batch_stride = 0;
  std::int64_t column_block = 0;
  std::int64_t block_stride = 0;
  std::shared_ptr<const Scatter> scatter;

  OutputPlace() = default;
  /// Matrices one behind the other.
  explicit OutputPlace(const GemmProblem& problem)
      : leading(problem.n), batch_stride(problem.m * problem.n) {}

  /// Adds `factor` times the place of `column` in its row.
  void add_column(isa::Expression& sum, const isa::Expression& column, std::int64_t factor) const;
  /// The same for element number `element` of a batch, rows of `columns` one behind the other.
  void add_element(isa::Expression& sum, const isa::Expression& element, std::int64_t columns,
                   std::int64_t factor) const;
};

/// What an epilogue does to sums before it converts them: GemmEpilogue, with the numbers of the
/// buffers of its operands.
struct EpiloguePost {
  static constexpr int kNone = -1;

  int scale_buffer = kNone;
  int bias_buffer = kNone;
  int residual_buffer = kNone;
  int result_buffer = kNone;  ///< what the slice before has left, added first; slice 0 has none
  Activation activation = Activation::kNone;

  EpiloguePost() = default;
  /// The operands that `epilogue` has stand behind one another from buffer `first` on.
  EpiloguePost(const GemmEpilogue& epilogue, int first);
  /// Serial split-K: each slice adds to what the one before has stored in buffer `result`; the
  /// last one goes on with the rest.
  [[nodiscard]] EpiloguePost adding_to(int result) const;

  [[nodiscard]] int vectors() const {
    return (scale_buffer != kNone ? 1 : 0) + (bias_buffer != kNone ? 1 : 0);
  }
  /// Buffers with an element for each of D.
  [[nodiscard]] int matrices() const {
    return (result_buffer != kNone ? 1 : 0) + (residual_buffer != kNone ? 1 : 0);
  }
  /// True if something beside earlier slices follows the sums, which FP32 arithmetic does.
  [[nodiscard]] bool needs_singles() const {
    return vectors() > 0 || residual_buffer != kNone || activation != Activation::kNone;
  }
  [[nodiscard]] bool changes_values() const { return needs_singles() || result_buffer != kNone; }
  [[nodiscard]] bool needs_scratch() const {
    return matrices() > 0 || activation > Activation::kRelu;
  }
};

/// D = alpha * accumulators with alpha = 1 and beta = 0 (kernels.md 3): one group of rows after the
/// other goes through shared memory, so that every thread ends up with whole vectors of a row. The
/// sums of the warp groups meet there, in ascending order; then they are scaled, go as FP32 numbers
/// through what `post` says, are converted and stored. Partial sums are only stored.
class Epilogue {
 public:
  /// `has_packing`: F2FP converts two FP32 at once (Ampere on); otherwise F2F and PRMT do.
  Epilogue(const GemmProblem& problem, const GemmTile& tile, const WarpGrid& warps,
           AccumulatorMap map, Result result, int buffer, OutputPlace place, EpiloguePost post,
           bool has_packing);

  /// Shared memory used.
  [[nodiscard]] int shared_bytes() const;
  /// Fewest registers that `emit` needs.
  [[nodiscard]] int registers() const { return set_registers() + post_registers(); }
  /// True if every thread keeps to the same columns, so that the vectors of `post` fit its
  /// registers.
  [[nodiscard]] bool keeps_columns() const;

  /// Appends the epilogue. Values pass through [scratch, scratch + available): two row groups in
  /// turn if they fit. Requires available >= registers() and scratch a multiple of four.
  void emit(ProgramBuilder& builder, AddressWork& work, const Raster& raster, int scratch,
            int available) const;

 private:
  [[nodiscard]] int staged_rows() const;
  [[nodiscard]] int staged_bytes() const { return staged_rows() * pitch_bytes(); }  ///< of a group
  [[nodiscard]] int row_vectors() const { return tile_.n / vector_elements_; }
  /// Log2 of the threads that a row is dealt to; some have none where its vectors are no power of
  /// two.
  [[nodiscard]] int row_bits() const { return bits_below(row_vectors()); }
  [[nodiscard]] int dealt_vectors() const { return staged_rows() << row_bits(); }
  /// That the thread has a vector, in a row and in the group of rows.
  void bound_vector(isa::Guard& guard, int vector) const;
  [[nodiscard]] int pitch_bytes() const {
    return tile_.n * map_.element_bytes + map_.padding_bytes;
  }
  [[nodiscard]] int vectors_per_thread() const;
  /// One row group's vectors of a thread.
  [[nodiscard]] int set_registers() const {
    return vectors_per_thread() * vector_registers() * (needs_second_set() ? 2 : 1);
  }
  /// The thread's elements of the operands of `post`, whole 128-bit operands.
  [[nodiscard]] int operand_registers() const;
  /// The same with FP32 numbers of their own and scratch.
  [[nodiscard]] int post_registers() const;
  /// One row group's part of a matrix that `post` adds.
  [[nodiscard]] int matrix_registers() const;
  /// Where it lies, with the registers of `post` from `first` on.
  [[nodiscard]] int result_register(int first, int vector) const;
  [[nodiscard]] int residual_register(int first, int vector) const;
  /// The FP32 numbers of the sums in `values`, which FP16 sums have registers of their own for.
  [[nodiscard]] int singles_register(int values, int first) const;
  [[nodiscard]] bool widens() const {
    return post_.needs_singles() && problem_.accumulate == Element::kFp16;
  }
  [[nodiscard]] int post_vector_registers() const;
  [[nodiscard]] int vector_registers() const;
  /// Scaling also puts swapped columns in order, into registers of its own.
  [[nodiscard]] bool exchanges() const;
  [[nodiscard]] bool needs_second_set() const { return exchanges() || warps_.groups > 1; }
  [[nodiscard]] bool reads_two_chunks() const;
  [[nodiscard]] bool has_odd_pitch() const;
  [[nodiscard]] isa::Swizzle swizzle() const;
  /// The part of a thread's vector `vector` that numbers vectors in a row, and bit `bit` of its
  /// staged row.
  void add_column(isa::Expression& sum, int vector, std::int64_t weight) const;
  void add_row_bit(isa::Expression& sum, int vector, int bit, std::int64_t weight) const;
  Instructions stage(ProgramBuilder& builder, const AddressWork& work, const RowGroup& group) const;
  Instructions fetch(ProgramBuilder& builder, const AddressWork& work, int vector, int group,
                     int first) const;
  /// Adds the other warp groups' sums to `vectors` vectors from `first` on, through `second`.
  Instructions add_groups(ProgramBuilder& builder, const AddressWork& work, int first,
                          int second) const;
  [[nodiscard]] Instructions scale(int first, int result) const;
  /// Loads the thread's elements of the vectors of `post` into registers from `first` on.
  Instructions load_post(ProgramBuilder& builder, const AddressWork& work, const Raster& raster,
                         int first) const;
  /// Applies `post` to the sums of vector number `vector` in `values`; the result is in
  /// singles_register.
  [[nodiscard]] Instructions apply_post(int values, int vector, int first) const;
  /// Where a vector of D lies, and which threads have one.
  struct VectorPlace {
    isa::Address address;
    isa::Guard guard;
  };
  [[nodiscard]] VectorPlace place_of(const Raster& raster, const RowGroup& group, int vector) const;
  /// The row group's part of what `post` adds, into its registers from `first` on.
  Instructions load_matrices(ProgramBuilder& builder, const AddressWork& work, const Raster& raster,
                             const RowGroup& group, int first) const;
  /// Adds what an earlier slice has left, in registers from `result` on.
  [[nodiscard]] Instructions add_result(int values, int result, int scratch) const;
  isa::Instruction store_vector(ProgramBuilder& builder, const AddressWork& work,
                                const Raster& raster, const RowGroup& group, int vector,
                                int data) const;

  GemmProblem problem_;  ///< its output is what is stored
  GemmTile tile_;
  WarpGrid warps_;
  AccumulatorMap map_;
  Result result_;
  int buffer_;
  OutputPlace place_;
  EpiloguePost post_;
  bool has_packing_;
  int vector_elements_;  ///< of D, stored at once
  ThreadDeal deal_;
};

}  // namespace tcsim::kernels
