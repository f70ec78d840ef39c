#include "workloads/kernels/epilogue.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/output_conversion.hpp"
#include "workloads/kernels/post_operations.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

/// Elements of D stored at once. FP64 kernels store one (CUTLASS builds them for an alignment of
/// 1). INT8 kernels store eight, whose sums take two reads (assumption).
int stored_elements(const GemmProblem& problem, const OutputPlace& place) {
  if (problem.output == Element::kFp64) return 1;
  constexpr int kMostElements = 8;
  return std::min(kMostElements,
                  widest_vector(std::gcd(problem.n, place.leading), element_bytes(problem.output)));
}

GemmProblem stored_problem(GemmProblem problem, Result result) {
  if (result == Result::kPartialSums) problem.output = problem.accumulate;
  return problem;
}

}  // namespace

void OutputPlace::add_column(isa::Expression& sum, const isa::Expression& column,
                             std::int64_t factor) const {
  if (column_block == 0) return add_scaled(sum, column, factor);
  add_quotient(sum, factor * block_stride, column, column_block, 0);
  add_quotient(sum, factor, column, 1, column_block);
}

void OutputPlace::add_element(isa::Expression& sum, const isa::Expression& element,
                              std::int64_t columns, std::int64_t factor) const {
  if (column_block == 0) return add_scaled(sum, element, factor);
  add_quotient(sum, factor * leading, element, columns, 0);
  add_quotient(sum, factor * block_stride, element, column_block, columns / column_block);
  add_quotient(sum, factor, element, 1, column_block);
}

EpiloguePost::EpiloguePost(const GemmEpilogue& epilogue, int first)
    : activation(epilogue.activation) {
  if (epilogue.scale) scale_buffer = first++;
  if (epilogue.bias) bias_buffer = first++;
  if (epilogue.residual) residual_buffer = first;
}

EpiloguePost EpiloguePost::adding_to(int result) const {
  EpiloguePost post = *this;
  post.result_buffer = result;
  return post;
}

Epilogue::Epilogue(const GemmProblem& problem, const GemmTile& tile, const WarpGrid& warps,
                   AccumulatorMap map, Result result, int buffer, OutputPlace place,
                   EpiloguePost post, bool has_packing)
    : problem_(stored_problem(problem, result)),
      tile_(tile),
      warps_(warps),
      map_(std::move(map)),
      result_(result),
      buffer_(buffer),
      place_(std::move(place)),
      post_(post),
      has_packing_(has_packing),
      vector_elements_(stored_elements(problem_, place_)),
      deal_{warps.warps()} {}

int Epilogue::staged_rows() const { return warps_.warps_m << map_.row_bits.size(); }

int Epilogue::shared_bytes() const { return warps_.groups * staged_bytes(); }

int Epilogue::vectors_per_thread() const { return ceil_div(dealt_vectors(), deal_.threads()); }

int Epilogue::vector_registers() const {
  return std::max(1, vector_elements_ * map_.element_bytes / 4);
}

bool Epilogue::keeps_columns() const { return 1 << row_bits() <= deal_.threads(); }

int Epilogue::post_vector_registers() const { return align_up(vector_elements_, kVectorRegisters); }

int Epilogue::matrix_registers() const {
  const int bytes = vector_elements_ * element_bytes(problem_.output);
  return vectors_per_thread() * align_up(bytes, kChunkBytes) / 4;
}

int Epilogue::result_register(int first, int vector) const {
  return first + post_.vectors() * post_vector_registers() +
         vector * matrix_registers() / vectors_per_thread();
}

int Epilogue::residual_register(int first, int vector) const {
  const int before = post_.result_buffer == EpiloguePost::kNone ? 0 : matrix_registers();
  return result_register(first, vector) + before;
}

int Epilogue::operand_registers() const {
  return post_.vectors() * post_vector_registers() + post_.matrices() * matrix_registers();
}

int Epilogue::singles_register(int values, int first) const {
  return widens() ? first + operand_registers() : values;
}

int Epilogue::post_registers() const {
  return operand_registers() + (widens() ? post_vector_registers() : 0) +
         (post_.needs_scratch() ? kPostScratch : 0);
}

bool Epilogue::exchanges() const {
  return map_.swapped_pairs && vector_elements_ > 1 &&
         (!is_16_bit(problem_.output) || post_.changes_values());
}

bool Epilogue::reads_two_chunks() const {
  return vector_elements_ * map_.element_bytes > kChunkBytes;
}

bool Epilogue::has_odd_pitch() const { return pitch_bytes() / kChunkBytes % 2 == 1; }

// A thread that needs 32 bytes of a row reads two chunks, 32 bytes apart from its neighbours', so
// that eight lanes would touch only half of the banks. If rows are an even number of chunks apart,
// an XOR moves every second group of four lanes to the other chunk. If it is odd, four of eight
// lanes read the next row.
isa::Swizzle Epilogue::swizzle() const {
  if (!tile_.swizzle || !reads_two_chunks() || has_odd_pitch()) return {};
  return {.bits = 1, .base = 4, .shift = 3};
}

namespace {
constexpr int kPairedRowBit =
    2;  // lane bit of the next row, if rows are an odd number of chunks apart
}

void Epilogue::add_column(isa::Expression& sum, int vector, std::int64_t weight) const {
  const int bits = row_bits();
  if (reads_two_chunks() && has_odd_pitch()) {
    deal_.add_field(sum, vector, 0, kPairedRowBit, weight);
    deal_.add_field(sum, vector, kPairedRowBit + 1, bits - kPairedRowBit, weight << kPairedRowBit);
  } else {
    deal_.add_field(sum, vector, 0, bits, weight);
  }
}

void Epilogue::add_row_bit(isa::Expression& sum, int vector, int bit, std::int64_t weight) const {
  const bool paired = reads_two_chunks() && has_odd_pitch() && bit == 0;
  deal_.add_field(sum, vector, paired ? kPairedRowBit : row_bits() + bit, 1, weight);
}

void Epilogue::bound_vector(isa::Guard& guard, int vector) const {
  deal_.bound(guard, vector, dealt_vectors());
  if (is_power_of_two(row_vectors())) return;
  isa::Expression column;
  add_column(column, vector, 1);
  guard.bounds.push_back({column, row_vectors()});
}

Instructions Epilogue::stage(ProgramBuilder& builder, const AddressWork& work,
                             const RowGroup& group) const {
  isa::Expression lane_offset;
  int row_weight = pitch_bytes();
  for (const LaneBit& row : map_.row_bits) {
    add_field(lane_offset, {Variable::kLane, row.bit, 1, row_weight});
    row_weight *= 2;
  }
  warps_.add_row(lane_offset, row_weight);
  for (const LaneBit& column : map_.column_bits)
    add_field(lane_offset,
              {Variable::kLane, column.bit, 1, std::int64_t{column.weight} * map_.element_bytes});
  warps_.add_column(lane_offset, std::int64_t{warps_.warp_n} * map_.element_bytes);
  warps_.add_group(lane_offset, staged_bytes());

  Instructions stores;
  for (const AccumulatorRun& run : group.runs) {
    isa::Expression offset = lane_offset;
    offset.constant += std::int64_t{run.column} * map_.element_bytes;
    stores.push_back(store(shared_store_of(4 * run.registers), run.first,
                           work.shared_store_address(),
                           builder.access({.shared = {offset, swizzle()}})));
  }
  return stores;
}

Instructions Epilogue::fetch(ProgramBuilder& builder, const AddressWork& work, int vector,
                             int group, int first) const {
  isa::Expression offset = constant(std::int64_t{group} * staged_bytes());
  if (map_.swapped_pairs && vector_elements_ == 1) {
    // A single column goes where its partner belongs.
    deal_.add_field(offset, vector, 1, row_bits() - 1, std::int64_t{2} * map_.element_bytes);
    deal_.add_field(offset, vector, 0, 1, -map_.element_bytes);
    offset.constant += map_.element_bytes;
  } else {
    add_column(offset, vector, std::int64_t{vector_elements_} * map_.element_bytes);
  }
  for (int bit = 0; bit < log2_exact(staged_rows()); ++bit)
    add_row_bit(offset, vector, bit, std::int64_t{pitch_bytes()} << bit);

  Instructions loads;
  isa::Guard guard;
  if (!is_power_of_two(row_vectors())) bound_vector(guard, vector);
  const int bytes = vector_elements_ * map_.element_bytes;
  for (int chunk = 0; chunk < bytes; chunk += kChunkBytes) {
    isa::Expression place = offset;
    place.constant += chunk;
    loads.push_back(load(shared_load_of(std::min(bytes, kChunkBytes)), reg(first + chunk / 4),
                         work.shared_store_address(),
                         builder.access({.shared = {place, swizzle()}}), builder.guard(guard)));
  }
  return loads;
}

Instructions Epilogue::add_groups(ProgramBuilder& builder, const AddressWork& work, int first,
                                  int second) const {
  Instructions ops;
  const int vectors = vectors_per_thread();
  for (int group = 1; group < warps_.groups; ++group) {
    for (int v = 0; v < vectors; ++v)
      extend(ops, fetch(builder, work, v, group, second + v * vector_registers()));
    extend(ops, add_registers(problem_.accumulate, first, second, vectors * vector_registers()));
  }
  return ops;
}

Instructions Epilogue::scale(int first, int result) const {
  if (result_ == Result::kProduct)
    return scale_registers(problem_.accumulate, first, result, vector_registers(), exchanges());
  Instructions moves;
  for (int i = 0; exchanges() && i < vector_registers(); ++i)
    moves.push_back(arithmetic(Opcode::kMov, reg(result + (i ^ 1)), reg(first + i)));
  return moves;
}

Epilogue::VectorPlace Epilogue::place_of(const Raster& raster, const RowGroup& group,
                                         int vector) const {
  isa::Expression row = constant(group.first_row);
  int bit = 0;
  for (const LaneBit& row_bit : map_.row_bits) add_row_bit(row, vector, bit++, row_bit.weight);
  for (int warp_bit = 0; warp_bit < log2_exact(warps_.warps_m); ++warp_bit)
    add_row_bit(row, vector, bit++, std::int64_t{warps_.warp_m} << warp_bit);
  raster.add_row(row, tile_.m);
  isa::Expression column;
  add_column(column, vector, vector_elements_);
  raster.add_column(column, tile_.n);

  isa::Guard guard;
  bound_vector(guard, vector);
  if (problem_.m % tile_.m != 0) guard.bounds.push_back({row, problem_.m});
  if (problem_.n % tile_.n != 0) guard.bounds.push_back({column, problem_.n});

  const int bytes = element_bytes(problem_.output);
  isa::Address address;
  if (place_.scatter) {
    Scatter::Place place = place_.scatter->place(row);
    add_scaled(address.offset, place.element, bytes);
    std::ranges::move(place.inside.bounds, std::back_inserter(guard.bounds));
  } else {
    add_scaled(address.offset, row, place_.leading * bytes);
  }
  place_.add_column(address.offset, column, bytes);
  if (result_ == Result::kPartialSums)  // a separate matrix for each slice
    add_term(address.offset,
             {.variable = Variable::kCtaZ, .coefficient = place_.batch_stride * bytes});
  else
    raster.add_batch(address.offset, place_.batch_stride * bytes);
  return {std::move(address), std::move(guard)};
}

isa::Instruction Epilogue::store_vector(ProgramBuilder& builder, const AddressWork& work,
                                        const Raster& raster, const RowGroup& group, int vector,
                                        int data) const {
  VectorPlace place = place_of(raster, group, vector);
  const int access = builder.access({.buffer = buffer_, .global = std::move(place.address)});
  return store(global_store_of(vector_elements_ * element_bytes(problem_.output)), reg(data),
               work.pointer(vector), access, builder.guard(place.guard));
}

Instructions Epilogue::load_matrices(ProgramBuilder& builder, const AddressWork& work,
                                     const Raster& raster, const RowGroup& group, int first) const {
  Instructions loads;
  const int vectors = vectors_per_thread();
  const auto fetch_from = [&](int buffer, int to, int vector, VectorPlace place) {
    const int access = builder.access({.buffer = buffer, .global = std::move(place.address)});
    loads.push_back(load(global_load_of(vector_elements_ * element_bytes(problem_.output)), reg(to),
                         work.pointer(vector), access, builder.guard(place.guard)));
  };
  if (post_.result_buffer != EpiloguePost::kNone) {
    const int result = result_register(first, 0);
    extend(loads, clear_registers(result, result + matrix_registers()));
    for (int v = 0; v < vectors; ++v) {
      VectorPlace place = place_of(raster, group, v);
      isa::Expression minus_slice;
      raster.add_slice(minus_slice, -1);
      place.guard.bounds.push_back({minus_slice, 0});
      fetch_from(post_.result_buffer, result_register(first, v), v, std::move(place));
    }
  }
  if (post_.residual_buffer != EpiloguePost::kNone)
    for (int v = 0; v < vectors; ++v)
      fetch_from(post_.residual_buffer, residual_register(first, v), v, place_of(raster, group, v));
  return loads;
}

Instructions Epilogue::add_result(int values, int result, int scratch) const {
  if (problem_.accumulate == Element::kFp32)
    return add_packed(problem_.output, values, result, vector_elements_, scratch);
  return add_registers(problem_.accumulate, values, result, vector_registers());
}

Instructions Epilogue::load_post(ProgramBuilder& builder, const AddressWork& work,
                                 const Raster& raster, int first) const {
  isa::Expression column;
  add_column(column, /*vector=*/0, vector_elements_);
  raster.add_column(column, tile_.n);
  isa::Guard guard;
  if (!is_power_of_two(row_vectors())) bound_vector(guard, /*vector=*/0);
  if (problem_.n % tile_.n != 0) guard.bounds.push_back({column, problem_.n});
  const int step = std::min(vector_elements_, kChunkBytes / 4);
  Instructions loads;
  int to = first;
  for (const int buffer : {post_.scale_buffer, post_.bias_buffer}) {
    if (buffer == EpiloguePost::kNone) continue;
    for (int element = 0; element < vector_elements_; element += step) {
      isa::Address address;
      add_scaled(address.offset, column, 4);
      address.offset.constant += std::int64_t{4} * element;
      raster.add_batch(address.offset, problem_.n * 4);  // a batch is a group of channels
      const Opcode opcode = step == 4   ? Opcode::kLdg128
                            : step == 2 ? Opcode::kLdg64
                                        : Opcode::kLdg32;
      loads.push_back(load(opcode, reg(to + element), work.pointer(element),
                           builder.access({.buffer = buffer, .global = std::move(address)}),
                           builder.guard(guard)));
    }
    to += post_vector_registers();
  }
  return loads;
}

Instructions Epilogue::apply_post(int values, int vector, int first) const {
  const bool scales = post_.scale_buffer != EpiloguePost::kNone;
  const bool adds = post_.bias_buffer != EpiloguePost::kNone;
  const int scratch = first + post_registers() - kPostScratch;
  Instructions ops;
  if (post_.result_buffer != EpiloguePost::kNone)
    extend(ops, add_result(values, result_register(first, vector), scratch));
  if (!post_.needs_singles()) return ops;
  const int singles = singles_register(values, first);
  extend(ops, to_singles(problem_.accumulate, values, singles, vector_elements_, has_packing_));
  extend(ops, scale_and_shift(singles, vector_elements_, scales ? first : kNoVector,
                              adds ? first + (scales ? post_vector_registers() : 0) : kNoVector));
  if (post_.residual_buffer != EpiloguePost::kNone)
    extend(ops, add_packed(problem_.output, singles, residual_register(first, vector),
                           vector_elements_, scratch));
  extend(ops, activate(post_.activation, singles, vector_elements_, scratch));
  return ops;
}

void Epilogue::emit(ProgramBuilder& builder, AddressWork& work, const Raster& raster, int scratch,
                    int available) const {
  const int post = scratch;
  scratch += post_registers();
  const int buffers = available - post_registers() >= 2 * set_registers() ? 2 : 1;
  if (post_.vectors() > 0) builder.append(load_post(builder, work, raster, post));
  const int vectors = vectors_per_thread();
  const int set = vectors * vector_registers();
  const OutputConversion conversion{
      .accumulate = post_.needs_singles() ? Element::kFp32 : problem_.accumulate,
      .output = problem_.output,
      .has_packing = has_packing_,
      .swapped_pairs = map_.swapped_pairs && !exchanges()};
  // 37 integer instructions for 16 elements of a thread: kernels.md 3, half of 1230 less the ones
  // that carry data.
  const int integer_ops = 5 + 2 * vectors * vector_elements_;
  for (std::size_t g = 0; g < map_.groups.size(); ++g) {
    const RowGroup& group = map_.groups[g];
    const int first = scratch + static_cast<int>(g) % buffers * set_registers();
    const int exchange = exchanges() ? set : 0;
    Instructions data;
    extend(data, load_matrices(builder, work, raster, group, post));
    data.push_back(control(Opcode::kBarSync));
    extend(data, stage(builder, work, group));
    data.push_back(control(Opcode::kBarSync));
    for (int v = 0; v < vectors; ++v)
      extend(data, fetch(builder, work, v, 0, first + v * vector_registers()));
    extend(data, add_groups(builder, work, first, first + set));
    for (int v = 0; v < vectors; ++v) {
      const int values = first + v * vector_registers();
      extend(data, scale(values, values + exchange));
      extend(data, apply_post(values + exchange, v, post));
      const int result = singles_register(values + exchange, post);
      extend(data, conversion.convert(result, vector_elements_));
      data.push_back(store_vector(builder, work, raster, group, v, result));
    }
    const std::array streams{Stream{data}, Stream{work.vector_ops(integer_ops)}};
    builder.append(merge_evenly(streams));
  }
}

}  // namespace tcsim::kernels
