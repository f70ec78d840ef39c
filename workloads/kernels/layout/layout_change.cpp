#include "workloads/kernels/layout/layout_change.hpp"

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/layout_tile.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

/// Element by element.
class LayoutChangeKernel {
 public:
  explicit LayoutChangeKernel(const LayoutChange& change)
      : tile_{change},
        bytes_(element_bytes(change.element)),
        builder_("main"),
        work_(LayoutTile::kElements, LayoutTile::kAddressRegisters) {}

  isa::KernelLaunch launch() {
    begin_kernel(builder_, work_, 3, work_.setup_ops(LayoutTile::kSetupOps));
    for (int move = 0; move < LayoutTile::kElements; ++move)
      tile_.load(builder_, work_, {across(move), along(move), bytes_, move});
    for (int move = 0; move < LayoutTile::kElements; ++move)
      builder_.append(store(bytes_ == 2 ? Opcode::kSts16 : Opcode::kSts32, reg(move),
                            work_.shared_store_address(),
                            builder_.access({.shared = in_tile(across(move), along(move))})));
    builder_.append(control(Opcode::kBarSync));
    for (int move = 0; move < LayoutTile::kElements; ++move)
      builder_.append(load(bytes_ == 2 ? Opcode::kLds16 : Opcode::kLds32, reg(move),
                           work_.shared_store_address(),
                           builder_.access({.shared = in_tile(along(move), across(move))})));
    for (int move = 0; move < LayoutTile::kElements; ++move)
      tile_.store(builder_, work_, {along(move), across(move), bytes_, move});
    return tile_.launch(LayoutTile::kSide * pitch_bytes(), LayoutTile::kElements, builder_);
  }

 private:
  [[nodiscard]] int pitch_bytes() const {
    return LayoutTile::kSide * bytes_ + LayoutTile::kPadding;
  }

  /// Position in move `move` along the direction in which lanes are adjacent, and along the other
  /// one.
  static isa::Expression along(int move) {
    return {.constant = std::int64_t{move % 2} * isa::kLanes, .terms = {{Variable::kLane, 1}}};
  }
  static isa::Expression across(int move) {
    return {.constant = std::int64_t{move} / 2 * LayoutTile::kWarps,
            .terms = {{Variable::kWarp, 1}}};
  }

  [[nodiscard]] isa::Address in_tile(const isa::Expression& row,
                                     const isa::Expression& column) const {
    isa::Address address;
    add_scaled(address.offset, row, pitch_bytes());
    add_scaled(address.offset, column, bytes_);
    return address;
  }

  const LayoutTile tile_;
  const int bytes_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch make_layout_change(const LayoutChange& change, const std::string& name) {
  isa::KernelLaunch launch;
  if (change.element == Element::kInt8)
    launch = make_byte_layout_change(change);
  else if (is_narrow(change))
    launch = make_flat_layout_change(change);
  else if (takes_pairs(change))
    launch = make_paired_layout_change(change);
  else
    launch = LayoutChangeKernel(change).launch();
  launch.name = name;
  return launch;
}

}  // namespace tcsim::kernels
