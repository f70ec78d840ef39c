#pragma once

#include <optional>
#include <span>
#include <string>

#include "models/functional/group_products.hpp"
#include "models/functional/mbarriers.hpp"
#include "models/functional/tile_unit.hpp"

namespace tcsim::functional {

/// The asynchronous hardware of a CTA: mbarriers, copies of boxes, products of warpgroups.
class AsyncUnit {
 public:
  using Failure = std::optional<numerics::Refusal>;

  /// All but `launch` are of one CTA; all outlive this object.
  AsyncUnit(const isa::KernelLaunch& launch, std::span<const std::span<std::uint8_t>> buffers,
            SharedMemory& shared, std::span<Warp> warps, MatrixUnit& matrix_unit);

  /// True if `launch` needs one.
  static bool is_used_by(const isa::KernelLaunch& launch);

  /// Executes the next instruction of `warp`, of an asynchronous effect. With `goes_on` false it
  /// has not been executed: the warp waits for others.
  [[nodiscard]] Failure execute(Warp& warp, bool& goes_on);
  /// Looks for races of the next instruction of `warp`, whatever it is, with open products.
  void check_registers(const Warp& warp) { products_.check_registers(warp); }
  /// Boxes that `warp` has waited for leave.
  void store(std::span<const TileCopy> boxes);
  /// What `warp`, whose next instruction was not executed, waits for.
  [[nodiscard]] std::string wait_text(const Warp& warp);

 private:
  Failure synchronize(Warp& warp, isa::Effect effect, bool& goes_on);
  Failure init(const Warp& warp, std::int64_t address, std::int64_t arrivals);
  Failure copy(Warp& warp, isa::Effect effect);

  SharedMemory& shared_;
  CausalOrder& order_;
  std::span<Warp> warps_;
  TileUnit tiles_;
  Mbarriers barriers_;
  GroupProducts products_;
};

}  // namespace tcsim::functional
