#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// A warp that brings k-tiles of A and B into a ring of stages by TMA and warpgroups that multiply
/// them (wgmma), as CUTLASS's PipelineTmaAsync couples them: a stage is filled when its bytes have
/// come and given back one group of products behind its own. A k-tile is 64 elements of 2 bytes
/// deep; the rows of A and B hold `row_tiles` of them, which are read again and again. Every CTA
/// has rows of A of its own, 64 for each warpgroup. `scripts/gpu/hopper/ring.cuh` runs the same on
/// a GPU.
struct RingPipeline {
  isa::Opcode product{};  ///< of a warpgroup: operands of 2 bytes, both in shared memory
  int stages = 4;
  int warpgroups = 1;    ///< that multiply
  bool produces = true;  ///< alone: waits for its own bytes before it fills a stage again
  bool consumes = true;  ///< alone: reads what lies in the stages, without waits
  bool own_b = false;    ///< every CTA has rows of B of its own; else all read the same
  int row_tiles = 8;
  std::int64_t ctas = 1;
  std::int64_t trips = 2;  ///< k-tiles of each CTA: two or more
  std::uint64_t base = 1 << 20;
};

/// Bytes of A and B.
std::int64_t matrix_bytes(const RingPipeline& pipeline);

isa::KernelLaunch ring_pipeline(const RingPipeline& pipeline, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
