#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/functional/execute.hpp"
#include "models/isa/group_mma.hpp"

namespace tcsim::functional::testing {

/// What a planted fault omits or changes in an AsyncGemm.
enum class Fault {
  kNone,
  kNoFullWait,     ///< consumers do not wait for the data
  kNoEmptyWait,    ///< the producer does not wait for free stages
  kWrongPhase,     ///< consumers wait for the other parity
  kWaitShort,      ///< one group stays open when a stage is released
  kEarlySums,      ///< sums are stored before their wait
  kNoGroupArrive,  ///< no WARPGROUP.ARRIVE
  kNoProxyFence,   ///< B is written by ordinary stores, without FENCE.VIEW.ASYNC
  kTooFewBytes,    ///< the phase expects fewer bytes than the copies bring
  kNoArrival,      ///< nobody releases stages
};

/// D[64][n] = A[64][k] B[n][k]^T by one warpgroup that a producer warp feeds through `stages`
/// buffers: a kernel that only uses the asynchronous instructions.
struct AsyncGemm {
  isa::GroupFormats formats = isa::kGroupFormats[0];
  int n = 16;
  int k_tiles = 3;  ///< of one row of the swizzle, 64 bytes unswizzled
  int k = 0;        ///< elements that exist; 0: all of the k-tiles
  int rows = 64;    ///< of A and D that exist
  int stages = 2;
  isa::TileSwizzle swizzle = isa::TileSwizzle::k128;
  bool a_in_registers = false;
  bool stores_b = false;  ///< warp 4 brings B by ordinary stores instead of copies
  Fault fault = Fault::kNone;

  [[nodiscard]] int element_bytes() const { return numerics::bits(formats.a) / 8; }
  [[nodiscard]] int tile_bytes() const {
    return swizzle == isa::TileSwizzle::kNone ? 64 : isa::row_bytes(swizzle);
  }
  [[nodiscard]] int padded_k() const { return k_tiles * tile_bytes() / element_bytes(); }
  [[nodiscard]] int existing_k() const { return k == 0 ? padded_k() : k; }

  [[nodiscard]] isa::KernelLaunch launch() const;
};

/// Runs it on random bits of finite numbers. Returns how D differs from wgmma's arithmetic, or the
/// refusal; races go to `races`.
std::string run(const AsyncGemm& gemm, std::vector<Race>& races);

}  // namespace tcsim::functional::testing
