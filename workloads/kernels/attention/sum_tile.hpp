#pragma once

#include <cstdint>

#include "models/isa/group_mma.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// FP32 sums of `rows` by `dim` in the accumulators of two warpgroups, and their layout in memory
/// between two launches: number 4j + i of thread t of warpgroup w is at ((w * registers() / 4 + j)
/// * kThreads + t) * 4 + i, so that each thread moves four of its own at once (SmemLayoutdQaccum of
/// FlashAttention-3's backward kernel).
struct SumTile {
  enum class Share : std::uint8_t {
    kRows,        ///< a warpgroup has 64 rows
    kColumns,     ///< a warpgroup has 64 columns of 64 rows
    kTransposed,  ///< 64 columns of any number of rows, which are columns of its accumulators
  };
  static constexpr int kGroups = 2;
  static constexpr int kThreads = isa::kGroupWarps * isa::kLanes;  ///< of a warpgroup
  static constexpr int kVectorBytes = 16;                          ///< four sums

  int rows = 128;
  int dim = 64;
  Share share = Share::kRows;

  [[nodiscard]] bool is_transposed() const { return share == Share::kTransposed; }
  /// Columns of a warpgroup's accumulators, and accumulators of a thread.
  [[nodiscard]] int width() const {
    if (is_transposed()) return rows;
    return share == Share::kRows ? dim : dim / kGroups;
  }
  [[nodiscard]] int registers() const { return width() * isa::kGroupRows / kThreads; }
  /// Bytes in memory, as FP32.
  [[nodiscard]] int group_bytes() const { return registers() * kThreads * 4; }
  [[nodiscard]] int bytes() const { return kGroups * group_bytes(); }

  /// As 16-bit elements in panels of 64 columns: bytes of a panel, and the distance between the
  /// first bytes of two warpgroups.
  [[nodiscard]] int panel_bytes() const;
  [[nodiscard]] int group_stride() const;
};

/// Converts pairs of `count` FP32 numbers from `from` on to elements, one register per pair from
/// `to` on. May be in place.
Instructions pack_pairs(Element element, int to, int from, int count);

/// STSM of a warpgroup's accumulators of `width` columns to panels at `place` in the 128-byte
/// swizzle. They are packed from `packed` on, two neighbours of a row per register. Transposed,
/// columns of the accumulators are rows of one panel. Requires a multiple of 16 columns.
Instructions stage_packed(ProgramBuilder& builder, int packed, int width,
                          const isa::Expression& place, int panel_bytes, bool transposed);

/// The byte of vector `vector` of a thread's sums, if the sums of its warpgroup begin at `first`.
isa::Expression sum_vector(const isa::Expression& first, int vector);

/// Stores a thread's sums of `tile`, from register `first` on, to shared memory, where the sums of
/// the warpgroup begin at `place`, for TMA to read.
Instructions stage_sums(ProgramBuilder& builder, const SumTile& tile, int first,
                        const isa::Expression& place);

}  // namespace tcsim::kernels
