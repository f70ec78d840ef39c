#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// A warp that brings k-tiles of A and B into a ring of stages by TMA, and warpgroups that multiply
/// them (wgmma), coupled as in CUTLASS's PipelineTmaAsync: a stage is full when its bytes have
/// arrived, and is released one group of products after its own. A k-tile is 64 elements of 2 bytes
/// deep. The rows of A and B contain `row_tiles` k-tiles, which are read repeatedly. Every CTA has
/// its own rows of A, 64 for each warpgroup. `scripts/gpu/hopper/ring.cuh` runs the same on a GPU.
struct RingPipeline {
  isa::Opcode product{};  ///< per warpgroup: operands of 2 bytes, both in shared memory
  int stages = 4;
  int warpgroups = 1;    ///< multiplying warpgroups
  bool produces = true;  ///< alone: waits for its own bytes before it refills a stage
  bool consumes = true;  ///< alone: reads the content of the stages without waits
  bool own_b = false;    ///< every CTA has its own rows of B; else all read the same
  int row_tiles = 8;
  std::int64_t ctas = 1;
  std::int64_t trips = 2;  ///< k-tiles of each CTA: two or more
  std::uint64_t base = 1 << 20;
};

/// Bytes of A and B.
std::int64_t matrix_bytes(const RingPipeline& pipeline);

isa::KernelLaunch ring_pipeline(const RingPipeline& pipeline, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
