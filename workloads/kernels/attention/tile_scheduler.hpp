#pragma once

#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

/// How a warp of FlashAttention-3's forward kernel goes from tile to tile (hopper/
/// tile_scheduler.hpp). CTAs take every grid-th tile, or the next one from a counter. With a
/// counter, a lane of the loading warp asks for the next number while the last values of a tile are
/// loaded. After the tile, that warp passes the number to the others through shared memory. With
/// pages it also looks up the sequence that the number stands for, and passes on the first tile as
/// well.
class TileScheduler {
 public:
  /// `look_up` is for the loading warp: it finds what a number stands for, and is empty if no
  /// look-up is needed. Register `number` holds the number.
  TileScheduler(const WarpgroupForwardPlan& plan, ProgramBuilder& builder, isa::Register number,
                bool is_loading, Instructions look_up = {})
      : plan_(plan),
        builder_(builder),
        number_(number),
        is_loading_(is_loading),
        look_up_(std::move(look_up)) {}

  /// Opens the loop over the tiles of the CTA.
  void begin_loop();
  /// The loading warp asks for the next tile, with its address in `pointer`.
  void ask(isa::Register pointer);
  void end_loop();

 private:
  [[nodiscard]] bool tells_first() const { return plan_.keys_by_threads(); }
  void tell();
  void hear(const isa::Expression& parity);

  const WarpgroupForwardPlan& plan_;
  ProgramBuilder& builder_;
  isa::Register number_;
  bool is_loading_;
  Instructions look_up_;
};

}  // namespace tcsim::kernels
