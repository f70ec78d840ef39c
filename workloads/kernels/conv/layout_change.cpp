#include "workloads/kernels/conv/layout_change.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/conv/flat_kernel.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kSide = 64;  // of a tile
constexpr int kWarps = 8;
constexpr int kLanes = 32;
constexpr int kMoves = kSide * kSide / (kWarps * kLanes);  // of a thread
constexpr int kPadding = 4;     // bytes per row: a column then touches every bank once
constexpr int kSetupOps = 30;   // assumption
constexpr int kOpsPerMove = 3;  // pointer and predicate (assumption)
constexpr int kAddressRegisters = 20;

/// Tile number x mod `count` or x div `count`, in elements.
isa::Expression tile_start(std::int64_t count, bool divided) {
  isa::Expression number{.constant = 0, .terms = {{Variable::kCtaX, 1}}};
  isa::Expression start;
  add_quotient(start, kSide, number, divided ? count : 1, divided ? 0 : count);
  return start;
}

class LayoutChangeKernel {
 public:
  LayoutChangeKernel(const LayoutChange& change, bool has_uniform_datapath)
      : change_(change),
        bytes_(element_bytes(change.element)),
        column_tiles_(ceil_div<std::int64_t>(change.columns, kSide)),
        builder_("main"),
        work_(kMoves, kAddressRegisters, has_uniform_datapath) {}

  isa::KernelLaunch launch() {
    emit();
    isa::KernelLaunch launch;
    const std::int64_t row_tiles = ceil_div<std::int64_t>(change_.target_pitch, kSide);
    launch.grid = {column_tiles_ * row_tiles, 1, change_.batch};
    launch.warps_per_cta = kWarps;
    launch.registers_per_thread = kMoves + kAddressRegisters;
    launch.shared_bytes_per_cta = kSide * pitch_bytes();
    launch.programs.push_back(builder_.finish());
    launch.program_of_warp.assign(kWarps, 0);
    return launch;
  }

 private:
  [[nodiscard]] int pitch_bytes() const { return kSide * bytes_ + kPadding; }

  /// Of the direction in which lanes lie side by side, and of the other one, in move `move`.
  static isa::Expression along(int move) {
    isa::Expression place = constant(move % 2 * kLanes);
    add_term(place, {Variable::kLane, 1});
    return place;
  }
  static isa::Expression across(int move) {
    isa::Expression place = constant(std::int64_t{move} / 2 * kWarps);
    add_term(place, {Variable::kWarp, 1});
    return place;
  }

  [[nodiscard]] isa::Address in_tile(const isa::Expression& row,
                                     const isa::Expression& column) const {
    isa::Address address;
    add_scaled(address.offset, row, pitch_bytes());
    add_scaled(address.offset, column, bytes_);
    return address;
  }

  /// Element `outer` * pitch + `inner` of the matrix of batch z.
  [[nodiscard]] isa::Address in_matrix(const isa::Expression& outer, const isa::Expression& inner,
                                       std::int64_t pitch, std::int64_t count) const {
    isa::Address address;
    add_scaled(address.offset, outer, pitch * bytes_);
    add_scaled(address.offset, inner, bytes_);
    add_term(address.offset, {Variable::kCtaZ, count * pitch * bytes_});
    return address;
  }

  /// `value` counts rows or columns, of which tiles cover whole multiples of kSide from `covered`
  /// on.
  static void bound(isa::Guard& guard, const isa::Expression& value, std::int64_t limit,
                    std::int64_t covered) {
    if (ceil_div<std::int64_t>(covered, kSide) * kSide > limit)
      guard.bounds.push_back({value, limit});
  }

  void emit() {
    for (int i = 0; i < 3; ++i) builder_.append(arithmetic(Opcode::kS2r, work_.pointer(i)));
    builder_.append(work_.vector_ops(kSetupOps));
    for (int move = 0; move < kMoves; ++move) read(move);
    for (int move = 0; move < kMoves; ++move)
      builder_.append(store(bytes_ == 2 ? Opcode::kSts16 : Opcode::kSts32, reg(move),
                            work_.shared_store_address(),
                            builder_.access({.shared = in_tile(across(move), along(move))})));
    builder_.append(control(Opcode::kBarSync));
    for (int move = 0; move < kMoves; ++move)
      builder_.append(load(bytes_ == 2 ? Opcode::kLds16 : Opcode::kLds32, reg(move),
                           work_.shared_store_address(),
                           builder_.access({.shared = in_tile(along(move), across(move))})));
    for (int move = 0; move < kMoves; ++move) write(move);
  }

  void read(int move) {
    isa::Expression row = tile_start(column_tiles_, true);
    add_scaled(row, across(move), 1);
    isa::Expression column = tile_start(column_tiles_, false);
    add_scaled(column, along(move), 1);
    isa::Guard guard;
    bound(guard, row, change_.rows, change_.target_pitch);
    bound(guard, column, change_.columns, change_.columns);
    if (change_.stored < change_.batch)
      guard.bounds.push_back({{.constant = 0, .terms = {{Variable::kCtaZ, 1}}}, change_.stored});
    builder_.append(arithmetic(Opcode::kMov, reg(move)));
    builder_.append(work_.advance_pointer(move, kOpsPerMove));
    const int access = builder_.access(
        {.buffer = 0, .global = in_matrix(row, column, change_.source_pitch, change_.rows)});
    builder_.append(load(global_load_opcode(bytes_), reg(move), work_.pointer(move), access,
                         builder_.guard(guard)));
  }

  void write(int move) {
    isa::Expression row = tile_start(column_tiles_, true);
    add_scaled(row, along(move), 1);
    isa::Expression column = tile_start(column_tiles_, false);
    add_scaled(column, across(move), 1);
    isa::Guard guard;
    bound(guard, row, change_.target_pitch, change_.target_pitch);
    bound(guard, column, change_.columns, change_.columns);
    builder_.append(work_.advance_pointer(move, kOpsPerMove));
    const int access = builder_.access(
        {.buffer = 1, .global = in_matrix(column, row, change_.target_pitch, change_.columns)});
    builder_.append(store(global_store_opcode(bytes_), reg(move), work_.pointer(move), access,
                          builder_.guard(guard)));
  }

  const LayoutChange& change_;
  const int bytes_;
  const std::int64_t column_tiles_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch make_layout_change(const LayoutChange& change, const std::string& name,
                                     bool has_uniform_datapath) {
  isa::KernelLaunch launch = LayoutChangeKernel(change, has_uniform_datapath).launch();
  launch.name = name;
  return launch;
}

}  // namespace tcsim::kernels
