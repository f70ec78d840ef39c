#include "workloads/kernels/warpgroup_epilogue.hpp"

#include <algorithm>
#include <utility>

#include "workloads/kernels/output_conversion.hpp"
#include "workloads/kernels/post_operations.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels::warpgroups {
namespace {

using isa::Expression;
using isa::kGroupRows;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Term;
using isa::Variable;

constexpr int kSingleBytes = 4;
/// Swapped: numbers of rows lane / 4 and lane / 4 + 8, each for a pair of columns.
constexpr int kRowFactors = 4;

void add(Expression& sum, const Expression& other) {
  sum.constant += other.constant;
  sum.terms.insert(sum.terms.end(), other.terms.begin(), other.terms.end());
  sum.quotients.insert(sum.quotients.end(), other.quotients.begin(), other.quotients.end());
}

}  // namespace

WarpgroupEpilogue::WarpgroupEpilogue(const WarpgroupPlan& shape, const Walk& walk,
                                     ProgramBuilder& builder)
    : shape_(shape),
      walk_(walk),
      builder_(builder),
      post_(shape.problem.epilogue, shape.post_buffer()),
      end_(shape.first_after_sums()) {
  const auto take = [this](bool is_there, int count) {
    const int first = end_;
    if (is_there) end_ += count;
    return first;
  };
  const int eights = shape.store_columns() / 8;
  const int vector = shape.tile.swapped ? kRowFactors : 2 * eights;
  scale_ = take(post_.scale_buffer != EpiloguePost::kNone, vector);
  bias_ = take(post_.bias_buffer != EpiloguePost::kNone, vector);
  residual_ = take(post_.residual_buffer != EpiloguePost::kNone, eights * shape.output_bytes());
  scratch_ = take(post_.needs_scratch(), kPostScratch);
  singles_ = take(post_.needs_singles() && shape.problem.accumulate == Element::kFp16, 2);
}

int WarpgroupEpilogue::registers(const WarpgroupPlan& shape) {
  ProgramBuilder none("");
  const Walk walk = Walk::of_consumer(shape);
  return WarpgroupEpilogue(shape, walk, none).end_;
}

WarpgroupEpilogue::Box WarpgroupEpilogue::box(int number) const {
  const int of_part = shape_.boxes_of_part();
  const int part = number / of_part % shape_.parts();
  const int block = number / of_part / shape_.parts();
  const int in_part = number % of_part;
  const int before = in_part * shape_.store_columns();
  const int sums_of_eight = shape_.sums_of_part() * 8 / shape_.width();
  return {.number = number,
          .block = block,
          .column = part * shape_.width() + before,
          .sums = kFirstSums + (block * shape_.parts() + part) * shape_.sums_of_part() +
                  before / 8 * sums_of_eight,
          .columns = std::min(shape_.store_columns(), shape_.width() - before)};
}

Expression WarpgroupEpilogue::row(const Box& box, std::int64_t weight) const {
  Expression row = walk_.row(std::int64_t{box.block} * kGroupRows * weight, shape_.tile.m * weight);
  if (shape_.divides_rows()) add_consumer(row, shape_.consumer_rows() * weight);
  return row;
}

Expression WarpgroupEpilogue::column(const Box& box, std::int64_t weight) const {
  Expression column = walk_.column(box.column * weight, shape_.tile.n * weight);
  if (shape_.divides_columns()) add_consumer(column, shape_.consumer_columns() * weight);
  return column;
}

Expression WarpgroupEpilogue::buffer(int number) const {
  if (shape_.stores_whole_tiles()) return {shape_.first_store()};
  Expression result{shape_.first_store() + number % kStoreBuffers * shape_.store_bytes()};
  add_consumer(result, std::int64_t{kStoreBuffers} * shape_.store_bytes());
  return result;
}

Expression WarpgroupEpilogue::place(int number) const {
  Expression result = buffer(number);
  if (shape_.stores_whole_tiles())
    add_consumer(result, std::int64_t{kGroupRows} * shape_.store_row_bytes());
  return result;
}

void WarpgroupEpilogue::load_vector(int buffer, int first, const Box& box) {
  if (buffer == EpiloguePost::kNone) return;
  if (shape_.tile.swapped) return load_vector_of_rows(buffer, first, box);
  const GemmProblem& problem = shape_.problem;
  for (int eight = 0; eight < box.eights(); ++eight) {
    Box at = box;
    at.column += 8 * eight;
    isa::MemoryAccess access{.buffer = buffer};
    access.global.offset = column(at, kSingleBytes);
    access.global.offset.terms.push_back({Variable::kLane, std::int64_t{2} * kSingleBytes, 1, 4});
    add(access.global.offset, walk_.matrix_b(problem.n * kSingleBytes));
    isa::Guard guard;
    if (shape_.tiles_pass_columns()) {
      guard.bounds.push_back({column(at, 1), problem.n});
      guard.bounds.back().expression.terms.push_back({Variable::kLane, 2, 1, 4});
    }
    builder_.append(load(Opcode::kLdg64, reg(first + 2 * eight), isa::kZeroRegister,
                         builder_.access(access), builder_.guard(guard)));
  }
}

void WarpgroupEpilogue::load_vector_of_rows(int buffer, int first, const Box& box) {
  const GemmProblem& problem = shape_.problem;
  for (int number = 0; number < kRowFactors; ++number) {
    const auto place = [&](std::int64_t weight) {
      Expression rows = row(box, weight);
      rows.constant += std::int64_t{8} * (number / 2) * weight;
      rows.terms.push_back({Variable::kWarp, 16 * weight, 1, kGroupWarps});
      rows.terms.push_back({Variable::kLane, weight, 4});
      return rows;
    };
    isa::MemoryAccess access{.buffer = buffer};
    access.global.offset = place(kSingleBytes);
    add(access.global.offset, walk_.matrix_b(problem.m * kSingleBytes));
    isa::Guard guard;
    if (shape_.tiles_pass_rows()) guard.bounds.push_back({place(1), problem.m});
    builder_.append(load(Opcode::kLdg32, reg(first + number), isa::kZeroRegister,
                         builder_.access(access), builder_.guard(guard)));
  }
}

void WarpgroupEpilogue::load_residual(const Box& box) {
  if (post_.residual_buffer == EpiloguePost::kNone) return;
  const GemmProblem& problem = shape_.problem;
  const int bytes = shape_.output_bytes();
  const std::int64_t row_bytes = problem.n * bytes;
  for (int eight = 0; eight < box.eights(); ++eight)
    for (int half = 0; half < 2; ++half) {
      Box at = box;
      at.column += 8 * eight;
      isa::MemoryAccess access{.buffer = post_.residual_buffer};
      Expression& offset = access.global.offset;
      offset = row(at, row_bytes);
      add(offset, column(at, bytes));
      add(offset, walk_.matrix(problem.m * row_bytes));
      offset.constant += std::int64_t{8} * half * row_bytes;
      offset.terms.push_back({Variable::kWarp, 16 * row_bytes, 1, kGroupWarps});
      offset.terms.push_back({Variable::kLane, row_bytes, 4});
      offset.terms.push_back({Variable::kLane, std::int64_t{2} * bytes, 1, 4});
      isa::Guard guard;
      if (shape_.tiles_pass_rows()) {
        Expression number = row(at, 1);
        number.constant += std::int64_t{8} * half;
        number.terms.push_back({Variable::kWarp, 16, 1, kGroupWarps});
        number.terms.push_back({Variable::kLane, 1, 4});
        guard.bounds.push_back({number, problem.m});
      }
      if (shape_.tiles_pass_columns()) {
        guard.bounds.push_back({column(at, 1), problem.n});
        guard.bounds.back().expression.terms.push_back({Variable::kLane, 2, 1, 4});
      }
      builder_.append(load(bytes == 2 ? Opcode::kLdg32 : Opcode::kLdg64,
                           reg(residual_ + (2 * eight + half) * bytes / 2), isa::kZeroRegister,
                           builder_.access(access), builder_.guard(guard)));
    }
}

void WarpgroupEpilogue::load_operands(int number) {
  const Box at = box(number);
  load_vector(post_.scale_buffer, scale_, at);
  load_vector(post_.bias_buffer, bias_, at);
  load_residual(at);
}

void WarpgroupEpilogue::add_operands(int values, int eight, int half) {
  const auto vector = [&](int buffer, int first) {
    if (buffer == EpiloguePost::kNone) return kNoVector;
    return first + 2 * (shape_.tile.swapped ? half : eight);
  };
  builder_.append(scale_and_shift(values, 2, vector(post_.scale_buffer, scale_),
                                  vector(post_.bias_buffer, bias_)));
  if (post_.residual_buffer != EpiloguePost::kNone)
    builder_.append(add_packed(shape_.problem.output, values,
                               residual_ + (2 * eight + half) * shape_.output_bytes() / 2, 2,
                               scratch_));
}

/// Sums of 32 bits: register 4j + i holds column 8j + 2 (lane mod 4) + i mod 2 of row lane / 4 + 8
/// (i / 2).
void WarpgroupEpilogue::finish_singles(const Box& box) {
  const GemmProblem& problem = shape_.problem;
  const int count = 4 * box.eights();
  builder_.append(
      scale_registers(problem.accumulate, box.sums, box.sums, count, /*exchange=*/false));
  if (post_.needs_singles()) {
    builder_.append(to_singles(problem.accumulate, box.sums, box.sums, count, true));
    for (int eight = 0; eight < box.eights(); ++eight)
      for (int half = 0; half < 2; ++half)
        add_operands(box.sums + 4 * eight + 2 * half, eight, half);
    builder_.append(activate(post_.activation, box.sums, count, scratch_));
  }
  const OutputConversion conversion{
      .accumulate = post_.needs_singles() ? Element::kFp32 : problem.accumulate,
      .output = problem.output,
      .has_packing = true,
      .swapped_pairs = false};
  // STSM takes the pairs of neighbouring groups of eight columns together.
  const int at_once = shape_.tile.swapped ? 8 : 2;
  for (int first = 0; first < count; first += at_once)
    builder_.append(conversion.convert(box.sums + first, std::min(at_once, count - first)));
}

/// FP16 sums: register 2j + i holds two columns of row lane / 4 + 8i.
void WarpgroupEpilogue::finish_pairs(const Box& box) {
  const int count = 2 * box.eights();
  builder_.append(scale_registers(Element::kFp16, box.sums, box.sums, count, /*exchange=*/false));
  if (!post_.needs_singles()) return;
  for (int pair = 0; pair < count; ++pair) {
    const int at = box.sums + pair;
    builder_.append(to_singles(Element::kFp16, at, singles_, 2, true));
    add_operands(singles_, pair / 2, pair % 2);
    builder_.append(activate(post_.activation, singles_, 2, scratch_));
    builder_.append(arithmetic(Opcode::kF2fp, reg(at), reg(singles_ + 1), reg(singles_)));
  }
}

void WarpgroupEpilogue::stage(const Box& box) {
  if (!shape_.tile.swapped) return stage_words(box);
  if (shape_.boxes_of_block() > 1) return stage_single_columns(box);
  stage_columns(box);
}

void WarpgroupEpilogue::stage_words(const Box& box) {
  const bool has_pairs = shape_.problem.accumulate == Element::kFp16;
  const int row_bytes = shape_.store_pitch(box.columns);
  const int word_bytes = shape_.output_bytes() * 2;  // of two columns
  for (int eight = 0; eight < box.eights(); ++eight)
    for (int half = 0; half < 2; ++half) {
      const int first = box.sums + (has_pairs ? 2 * eight + half : 4 * eight + 2 * half);
      isa::MemoryAccess access;
      access.shared.offset = place(box.number);
      access.shared.offset.constant +=
          std::int64_t{8} * half * row_bytes + std::int64_t{4} * word_bytes * eight;
      for (const Term& term :
           {Term{Variable::kWarp, std::int64_t{16} * row_bytes, 1, kGroupWarps},
            Term{Variable::kLane, row_bytes, 4}, Term{Variable::kLane, word_bytes, 1, 4}})
        access.shared.offset.terms.push_back(term);
      access.shared.swizzle = isa::swizzle_of(shape_.store_swizzle(box.columns));
      builder_.append(kernels::store(word_bytes == 4 ? Opcode::kSts32 : Opcode::kSts64, reg(first),
                                     isa::kZeroRegister, builder_.access(access)));
    }
}

/// Matrix 2 * eight + half of a warp has eight columns from 8 * eight on and eight rows from 8 *
/// half on. An instruction stores the matrices of two groups of eight if the registers begin at a
/// multiple of four, otherwise of one.
void WarpgroupEpilogue::stage_columns(const Box& box) {
  const bool has_pairs = shape_.problem.accumulate == Element::kFp16;
  constexpr int kMatrixBytes = 16;  // of a column
  int eights = 0;
  for (int eight = 0; eight < box.eights(); eight += eights) {
    const int first = box.sums + (has_pairs ? 2 : 4) * eight;
    eights = first % 4 == 0 && eight + 1 < box.eights() ? 2 : 1;
    isa::MemoryAccess access;
    access.shared.offset = place(box.number);
    access.shared.offset.constant += std::int64_t{8} * eight * kRowBytes;
    for (const Term& term :
         {Term{Variable::kWarp, std::int64_t{2} * kMatrixBytes, 1, kGroupWarps},
          Term{Variable::kLane, kRowBytes, 1, 8}, Term{Variable::kLane, kMatrixBytes, 8, 2},
          Term{Variable::kLane, std::int64_t{8} * kRowBytes, 16}})
      access.shared.offset.terms.push_back(term);
    access.shared.swizzle = isa::swizzle_of(shape_.store_swizzle(box.columns));
    if (eights == 1) access.shared.offset.terms.pop_back();  // lanes from 16 on name no rows
    builder_.append(kernels::store(eights == 1 ? Opcode::kStsmTX2 : Opcode::kStsmTX4, reg(first),
                                   isa::kZeroRegister, builder_.access(access)));
  }
}

/// The block is 64 rows in boxes of 32.
void WarpgroupEpilogue::stage_single_columns(const Box& box) {
  for (int number = 0; number < 4 * box.eights(); ++number) {
    const int column = number / 4 * 8 + number % 2;
    const int row = number % 4 / 2 * 8;
    isa::MemoryAccess access;
    access.shared.offset = place(box.number);
    access.shared.offset.constant +=
        std::int64_t{column} * kRowBytes + std::int64_t{row} * kSingleBytes;
    for (const Term& term : {Term{Variable::kWarp, std::int64_t{box.columns} * kRowBytes, 2, 2},
                             Term{Variable::kWarp, std::int64_t{16} * kSingleBytes, 1, 2},
                             Term{Variable::kLane, kSingleBytes, 4},
                             Term{Variable::kLane, std::int64_t{2} * kRowBytes, 1, 4}})
      access.shared.offset.terms.push_back(term);
    access.shared.swizzle = isa::swizzle_of(shape_.store_swizzle(box.columns));
    builder_.append(kernels::store(Opcode::kSts32, reg(box.sums + number), isa::kZeroRegister,
                                   builder_.access(access)));
  }
}

/// Stored by TMA, by the first warp.
void WarpgroupEpilogue::send(const Box& box) {
  const int map = box.columns == shape_.store_columns() ? kMapD : kMapRestOfD;
  for (int part = 0; part < shape_.boxes_of_block(); ++part) {
    isa::TileOperand tile{.map = map,
                          .coordinates = {column(box, 1), row(box, 1), walk_.matrix(1)},
                          .shared = buffer(box.number)};
    if (shape_.tile.swapped) {
      std::swap(tile.coordinates[0], tile.coordinates[1]);
      tile.coordinates[0].constant += std::int64_t{part} * kGroupRows / shape_.boxes_of_block();
      tile.shared.constant += std::int64_t{part} * box.columns * kRowBytes;
    }
    builder_.append(Opcode::kUtmastg3d, std::move(tile), first_warp(builder_));
  }
  builder_.append(control(Opcode::kUtmacmdflush));
}

/// The warps of the warpgroup, or of all consumers, meet for the time number `times` in this tile.
void WarpgroupEpilogue::meet(int times) {
  Expression address{shape_.meeting(0)};
  if (!shape_.stores_whole_tiles()) add_consumer(address, isa::kBarrierBytes);
  warpgroups::meet(builder_, address, {times % 2});
}

void WarpgroupEpilogue::begin() {
  load_operands(0);
  if (shape_.stores_whole_tiles()) meet(0);
}

void WarpgroupEpilogue::finish(const Box& box) {
  if (shape_.problem.accumulate == Element::kFp16)
    finish_pairs(box);
  else
    finish_singles(box);
}

void WarpgroupEpilogue::store_whole_tile() {
  const Box tile = box(0);
  finish(tile);
  stage(tile);
  builder_.append(control(Opcode::kFenceViewAsync));
  meet(1);
  const int first_of_all = builder_.guard({{{{0, {{Variable::kWarp, 1}}}, kGroupWarps + 1}}});
  for (int first = 0; first < shape_.tile.m; first += shape_.store_rows()) {
    Expression from = buffer(0);
    from.constant += std::int64_t{first} * shape_.store_row_bytes();
    builder_.append(
        Opcode::kUtmastg3d,
        isa::TileOperand{.map = kMapD,
                         .coordinates = {walk_.column(0, shape_.tile.n),
                                         walk_.row(first, shape_.tile.m), walk_.matrix(1)},
                         .shared = from},
        first_of_all);
  }
  builder_.append(control(Opcode::kUtmacmdflush));
  builder_.append(control(Opcode::kDepbar, 0));
}

void WarpgroupEpilogue::store() {
  if (shape_.stores_whole_tiles()) return store_whole_tile();
  for (int number = 0; number < shape_.boxes(); ++number) {
    const Box at = box(number);
    finish(at);
    if (number + 1 < shape_.boxes()) load_operands(number + 1);
    // Waits until the buffer has been read: that of the box before the last one, or of the last one
    // if a tile has an odd number of boxes.
    const bool is_next_to_own = number == 0 && shape_.boxes() % kStoreBuffers != 0;
    builder_.append(control(Opcode::kDepbar, is_next_to_own ? 0 : kStoreBuffers - 1));
    meet(2 * number);
    stage(at);
    builder_.append(control(Opcode::kFenceViewAsync));
    meet(2 * number + 1);
    send(at);
  }
}

}  // namespace tcsim::kernels::warpgroups
