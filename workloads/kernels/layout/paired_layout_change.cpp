#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/layout_tile.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kBytes = 2;
constexpr int kWordBytes = 2 * kBytes;
constexpr int kPitchBytes = LayoutTile::kSide * kBytes + LayoutTile::kPadding;
constexpr int kBlocks = LayoutTile::kElements / 4;
constexpr int kBlockRegisters = 3;  // two rows of the block, one column of it
constexpr int kWords = LayoutTile::kElements / 2;
constexpr int kDataRegisters = kBlocks * kBlockRegisters;

/// First row and column of a thread's block: half a warp lies along a row, so that its stores of a
/// column touch every bank once.
isa::Expression block_row(int block) {
  return {.constant = block % 2 * LayoutTile::kSide / 2,
          .terms = {{.variable = Variable::kLane, .coefficient = 2, .divisor = isa::kLanes / 2},
                    {Variable::kWarp, 4}}};
}

isa::Expression block_column(int block) {
  return {.constant = std::int64_t{block} / 2 * LayoutTile::kSide / 2,
          .terms = {{.variable = Variable::kLane,
                     .coefficient = 2,
                     .divisor = 1,
                     .modulus = isa::kLanes / 2}}};
}

/// The word that a lane writes to global memory: two rows of one column.
isa::Expression word_row() { return {.constant = 0, .terms = {{Variable::kLane, 2}}}; }
isa::Expression word_column(int word) {
  return {.constant = std::int64_t{word} * LayoutTile::kWarps, .terms = {{Variable::kWarp, 1}}};
}

isa::Address in_tile(const isa::Expression& column, const isa::Expression& row) {
  isa::Address address;
  add_scaled(address.offset, column, kPitchBytes);
  add_scaled(address.offset, row, kBytes);
  return address;
}

class PairedLayoutChangeKernel {
 public:
  explicit PairedLayoutChangeKernel(const LayoutChange& change)
      : tile_{change}, builder_("main"), work_(kDataRegisters, LayoutTile::kAddressRegisters) {}

  isa::KernelLaunch launch() {
    begin_kernel(builder_, work_, 3, work_.setup_ops(LayoutTile::kSetupOps));
    for (int block = 0; block < kBlocks; ++block)
      for (int row = 0; row < 2; ++row) read(block, row);
    for (int block = 0; block < kBlocks; ++block) turn(block);
    builder_.append(control(Opcode::kBarSync));
    for (int word = 0; word < kWords; ++word)
      builder_.append(load(Opcode::kLds32, reg(word), work_.shared_store_address(),
                           builder_.access({.shared = in_tile(word_column(word), word_row())})));
    for (int word = 0; word < kWords; ++word)
      tile_.store(builder_, work_, {word_row(), word_column(word), kWordBytes, word});
    return tile_.launch(LayoutTile::kSide * kPitchBytes, kDataRegisters, builder_);
  }

 private:
  void read(int block, int which) {
    isa::Expression row = block_row(block);
    row.constant += which;
    const int data = block * kBlockRegisters + which;
    tile_.load(builder_, work_, {row, block_column(block), kWordBytes, data});
  }

  void turn(int block) {
    const int first = block * kBlockRegisters;
    const isa::Register a = reg(first);
    const isa::Register b = reg(first + 1);
    const isa::Register low = reg(first + 2);
    builder_.append(with_immediate(arithmetic(Opcode::kPrmt, low, a, b), kLowHalves));
    builder_.append(with_immediate(arithmetic(Opcode::kPrmt, b, a, b), kHighHalves));
    for (int which = 0; which < 2; ++which) {
      isa::Expression column = block_column(block);
      column.constant += which;
      builder_.append(store(Opcode::kSts32, which == 0 ? low : b, work_.shared_store_address(),
                            builder_.access({.shared = in_tile(column, block_row(block))})));
    }
  }

  const LayoutTile tile_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

bool takes_pairs(const LayoutChange& change) {
  return element_bytes(change.element) == kBytes && change.source_pitch % 2 == 0 &&
         change.target_pitch % 2 == 0;
}

isa::KernelLaunch make_paired_layout_change(const LayoutChange& change) {
  return PairedLayoutChangeKernel(change).launch();
}

}  // namespace tcsim::kernels
