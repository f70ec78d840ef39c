#include "workloads/kernels/group_schedule.hpp"

#include <bit>
#include <utility>

namespace tcsim::kernels::warpgroups {
namespace {

using isa::Expression;
using isa::Opcode;
using isa::Term;

constexpr std::int64_t kNumberBytes = 4;
constexpr int kNumber = 4;  // register that holds the number read from memory
constexpr int kRows = 5;    // the number of tile rows that follows from it
constexpr int kEnd = 6;     // number of the first tile after a group
constexpr int kBefore = 7;  // tile rows of the groups before

/// Where a staircase rises, and by how much.
struct Rise {
  std::int64_t at;
  std::int64_t by;
};

/// Adds the rises up to constant + sum of `terms`.
void add_staircase(Expression& sum, const std::vector<Rise>& rises, std::int64_t constant,
                   const std::vector<Term>& terms) {
  for (const Rise& rise : rises)
    if (rise.by != 0)
      sum.quotients.push_back({.coefficient = rise.by,
                               .constant = constant + 1 - rise.at,
                               .terms = terms,
                               .least = 0,
                               .most = 1});
}

}  // namespace

std::vector<GroupSchedule::Strip> GroupSchedule::strips() const {
  const RowGroups& groups = shape_.problem.groups;
  std::vector<Strip> strips;
  std::int64_t first = 0;
  const auto add = [&](std::int64_t rows, std::int64_t group) {
    for (std::int64_t column = 0; rows > 0 && column < shape_.tiles_n; column += shape_.strip) {
      strips.push_back({first, column, group});
      first += rows * shape_.strip;
    }
  };
  if (!groups.is_masked())
    add(shape_.rows, 0);
  else
    for (std::size_t group = 0; group < groups.rows.size(); ++group)
      add(shape_.row_tiles(groups.rows[group]), static_cast<std::int64_t>(group));
  return strips;
}

/// The tile's group, from the tile's number, or from its row if that determines it.
Expression GroupSchedule::group() const {
  std::vector<Rise> rises;
  std::int64_t group = 0;
  Expression result;
  if (shape_.problem.groups.is_masked()) {
    for (const Strip& strip : strips())
      rises.push_back({strip.first, strip.group - std::exchange(group, strip.group)});
    add_staircase(result, rises, 0, walk_.tile_number());
    return result;
  }
  std::int64_t row = 0;
  for (const std::int64_t rows : shape_.problem.groups.rows) {
    if (row > 0 || group > 0) rises.push_back({row, 1});
    row += shape_.row_tiles(rows);
    ++group;
  }
  add_staircase(result, rises, 0, {{isa::uniform_variable(kRow), 1}});
  return result;
}

/// How many groups the program looks at, from the group of the previous tile (group 0 for the first
/// tile) to that of this one.
Expression GroupSchedule::looks() const {
  Expression result = group();
  const std::size_t rises = result.quotients.size();
  for (std::size_t i = 0; i < rises; ++i) {
    isa::Quotient before = result.quotients[i];
    before.coefficient *= -1;
    before.constant -= shape_.grid;
    result.quotients.push_back(std::move(before));
  }
  ++result.constant;
  return result;
}

std::vector<Expression> GroupSchedule::uniforms() const {
  const std::vector<Strip> all = strips();
  std::vector<Rise> firsts;
  std::vector<Rise> columns;
  Strip before{};
  for (const Strip& strip : all) {
    firsts.push_back({strip.first, strip.first - before.first});
    columns.push_back({strip.first, strip.column - before.column});
    before = strip;
  }
  const std::vector<Term> number = walk_.tile_number();
  std::vector<Term> in_strip = number;
  in_strip.push_back({isa::uniform_variable(kFirstOfStrip), -1});
  Expression first;
  add_staircase(first, firsts, 0, number);
  Expression column{0, {}, {divided(1, 0, in_strip, 1, shape_.strip)}};
  add_staircase(column, columns, 0, number);
  std::vector<Expression> uniforms{
      first, column, {0, {}, {divided(1, 0, in_strip, shape_.strip, 0)}}, group()};
  if (shape_.problem.groups.is_masked()) uniforms.push_back(looks());
  return uniforms;
}

void GroupSchedule::emit(ProgramBuilder& builder) const {
  if (shape_.problem.groups.is_masked())
    walk_to_group(builder);
  else
    look_up_row(builder);
}

/// Finds the group of the tile's first row, and where its B begins.
void GroupSchedule::look_up_row(ProgramBuilder& builder) const {
  isa::MemoryAccess access{.buffer = shape_.group_buffer()};
  access.global.offset = walk_.row(0, shape_.tile.m * kNumberBytes);
  builder.append(load(Opcode::kLdg32, reg(kNumber), isa::kZeroRegister, builder.access(access)));
  builder.append(with_immediate(arithmetic(Opcode::kImad, reg(kRows), reg(kNumber)),
                                static_cast<std::int32_t>(shape_.problem.n)));
}

/// Converts the rows of one group after another into tiles until they exceed the number of this
/// tile.
void GroupSchedule::walk_to_group(ProgramBuilder& builder) const {
  builder.begin_loop();
  isa::MemoryAccess access{.buffer = shape_.group_buffer()};
  Expression& offset = access.global.offset;
  offset = walk_.matrix_b(kNumberBytes);
  offset.terms.push_back({isa::uniform_variable(kLooks), -kNumberBytes});
  offset.terms.push_back({kStepLoop, kNumberBytes});
  offset.constant += kNumberBytes;
  builder.append(load(Opcode::kLdg32, reg(kNumber), isa::kZeroRegister, builder.access(access)));
  const int step = shape_.tile.m * shape_.tile.cluster_m;
  builder.append(with_immediate(arithmetic(Opcode::kIadd3, reg(kRows), reg(kNumber)), step - 1));
  builder.append(with_immediate(arithmetic(Opcode::kShf, reg(kRows), reg(kRows)),
                                std::countr_zero(static_cast<unsigned>(step))));
  builder.append(arithmetic(Opcode::kIadd3, reg(kRows), reg(kRows), reg(kBefore)));
  builder.append(with_immediate(arithmetic(Opcode::kImad, reg(kEnd), reg(kRows)),
                                static_cast<std::int32_t>(shape_.tiles_n)));
  builder.append(arithmetic(Opcode::kIsetp, isa::kZeroRegister, reg(kEnd)));
  builder.append(arithmetic(Opcode::kSel, reg(kBefore), reg(kRows), reg(kBefore)));
  // The tile's own group is always looked at. The bound shows it to isa::validate, which cannot try
  // the tiles of many rows.
  builder.end_loop(
      Expression{0, {}, {{.terms = {{isa::uniform_variable(kLooks), 1}}, .least = 1}}});
}

}  // namespace tcsim::kernels::warpgroups
