#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/isa/expression.hpp"

// Operands of the asynchronous instructions of Hopper: barriers in shared memory (SYNCS), copies of
// tiles (UTMALDG, UTMASTG, UTMAREDG) and of contiguous bytes (UBLKCP, UBLKRED), and products of a
// warpgroup (HGMMA, QGMMA, IGMMA). One thread of a warp executes the first two, a warpgroup the
// third, so no expression here depends on the lane. Sources: PTX ISA, mbarrier, cp.async.bulk,
// cp.reduce.async.bulk, and the same for tensors, wgmma; hopper.md 3 and 4.

namespace tcsim::isa {

/// Size of an mbarrier in bytes.
inline constexpr int kBarrierBytes = 8;
/// The most arrivals that a phase of an mbarrier can expect, and the most bytes (PTX ISA,
/// mbarrier).
inline constexpr std::int64_t kMostPhaseCount = (1 << 20) - 1;

/// How 16-byte pieces of a tile in shared memory are permuted: within rows of this many bytes.
enum class TileSwizzle : std::uint8_t { kNone, k32, k64, k128 };

/// Bytes of a row within which pieces are permuted; 16 for kNone, which permutes nothing.
constexpr int row_bytes(TileSwizzle swizzle) { return 16 << static_cast<int>(swizzle); }
/// The pattern repeats after eight rows.
constexpr int pattern_bytes(TileSwizzle swizzle) { return 8 * row_bytes(swizzle); }
/// XORs bits [7, 7 + B) of the shared address into bits [4, 4 + B).
constexpr Swizzle swizzle_of(TileSwizzle swizzle) {
  if (swizzle == TileSwizzle::kNone) return {};
  return {.bits = static_cast<std::uint8_t>(swizzle), .base = 4, .shift = 3};
}

/// A matrix operand in shared memory, in blocks of eight rows of row_bytes(swizzle) each. A row
/// runs along k or, if `transposed`, along m (A) or n (B).
struct MatrixDescriptor {
  Expression start{};      ///< byte in shared memory
  int leading_bytes = 16;  ///< from block to block along a row: unswizzled along k, transposed
                           ///< along m or n (unswizzled and transposed: along k); otherwise unused
  int stride_bytes = 128;  ///< from block to block in the other direction
  TileSwizzle swizzle = TileSwizzle::kNone;
  bool transposed = false;

  bool operator==(const MatrixDescriptor&) const = default;
};

/// The offset in shared memory, relative to an aligned start and before the swizzle, of a 16-byte
/// piece. The piece is in row `row` (of m or n) at byte column 16 * `piece` along k; if transposed,
/// in row `row` of k with pieces along m or n.
std::int64_t piece_offset(const MatrixDescriptor& descriptor, int row, int piece);

/// Why a descriptor cannot have the start or the layout of `descriptor`; empty if it can.
std::string descriptor_problem(const MatrixDescriptor& descriptor);
std::string start_problem(const MatrixDescriptor& descriptor, std::int64_t start);

/// Operands of HGMMA, QGMMA, IGMMA. If A comes from registers, `a` is unused.
struct MatrixOperands {
  MatrixDescriptor a{};
  MatrixDescriptor b{};

  bool operator==(const MatrixOperands&) const = default;
};

/// Operand of SYNCS: an mbarrier and one value. The value is the number of arrivals that each phase
/// expects (EXCH), the additional bytes that the phase expects (ARRIVE.TRANS64), the parity of the
/// phase waited for (TRYWAIT), or the cluster rank of the CTA that holds the mbarrier
/// (ARRIVE.TRANS64.RED).
struct BarrierOperand {
  Expression address{};  ///< byte in shared memory
  Expression value{};

  bool operator==(const BarrierOperand&) const = default;
};

/// Operand of UBLKCP, UBLKRED and UBLKPF: contiguous bytes of a buffer, that is, a box of one row
/// without a tensor map. For UBLKCP.S.S, bytes in the shared memory of a CTA of the cluster, where
/// its mbarrier also is.
struct RowOperand {
  static constexpr int kAlignment = 16;  ///< bytes, for its start and its length (PTX ISA)
  static constexpr int kMostBytes = (1 << 20) - kAlignment;  ///< most that an mbarrier counts

  int buffer = 0;       ///< index into KernelLaunch::buffers; UBLKCP.S.S: kNoIndex
  Expression offset{};  ///< byte of the buffer at which it starts; UBLKCP.S.S: a cluster_address
  Expression bytes{};

  bool operator==(const RowOperand&) const = default;
};

/// Why a row cannot have this many bytes; empty if it can.
std::string row_length_problem(std::int64_t bytes);

/// Operand of UTMALDG, UTMASTG and UTMAREDG: the box of tensor map `map` whose first element has
/// these coordinates, innermost first; in im2col mode they are followed by the offsets of the
/// filter tap along w and h. Elements outside the tensor are read as zeros and not written.
/// UTMAREDG.ADD takes elements of 4 bytes, which are FP32. UBLKCP, UBLKRED and UBLKPF use `row`
/// instead of both.
struct TileOperand {
  int map = 0;  ///< index into KernelLaunch::tensor_maps
  std::vector<Expression> coordinates{};
  Expression shared{};   ///< byte in shared memory at which the box starts
  Expression barrier{};  ///< loads: mbarrier on which the bytes of the whole box complete
  /// For loads with MULTICAST: bit r is set if the CTA of rank r in the cluster receives the box,
  /// at the same byte offset of its shared memory and on its mbarrier at the same byte offset.
  Expression ranks{};
  std::optional<RowOperand> row{};

  bool operator==(const TileOperand&) const = default;
};

using AsyncOperands = std::variant<BarrierOperand, TileOperand, MatrixOperands>;

/// Im2col mode of a tensor map of channels, w, h and images (cuTensorMapEncodeIm2col): a box holds
/// channels of the pixels under one filter tap at consecutive positions, which run along w, then h,
/// then from image to image. The fields apply to w and h:
struct Im2col {
  std::array<std::int64_t, 2> positions{1, 1};  ///< filter positions in an image
  std::array<std::int64_t, 2> pad{};            ///< the first position is this many pixels before
                                                ///< the image
  std::array<std::int64_t, 2> stride{1, 1};     ///< pixels from one position to the next
  bool operator==(const Im2col&) const = default;
};

/// A tensor in global memory and the box in which it is copied (CUtensorMap).
struct TensorMap {
  static constexpr int kMostDimensions = 5;
  static constexpr int kMostBox = 256;             ///< elements of a box along one dimension
  static constexpr int kMostBoxBytes = 32 * 1024;  ///< FV, measured: hopper.md 4
  static constexpr int kSharedAlignment = 128;     ///< bytes, for a box in shared memory

  std::string name{};
  int buffer = 0;  ///< index into KernelLaunch::buffers; the tensor starts at its first byte
  int element_bytes = 2;
  std::vector<std::int64_t> extents{};  ///< elements, innermost first
  std::vector<std::int64_t> strides{};  ///< bytes, for all dimensions except the innermost
  std::vector<int> box{};               ///< elements; in im2col mode, channels and pixels
  TileSwizzle swizzle = TileSwizzle::kNone;
  std::optional<Im2col> im2col{};

  [[nodiscard]] int dimensions() const { return static_cast<int>(extents.size()); }
  /// Number of coordinates that an instruction gives.
  [[nodiscard]] int coordinates() const { return dimensions() + (im2col ? 2 : 0); }
  [[nodiscard]] int box_row_bytes() const { return box.front() * element_bytes; }
  [[nodiscard]] int box_rows() const;  ///< rows along all dimensions except the innermost
  [[nodiscard]] int box_bytes() const { return box_rows() * box_row_bytes(); }
  bool operator==(const TensorMap&) const = default;
};

/// Why `map` is no valid tensor map for a buffer of `buffer_bytes`, one sentence each.
std::vector<std::string> problems_of(const TensorMap& map, std::uint64_t buffer_bytes);

/// Row `row` of the box of `map` at `coordinates`, in bytes: where it starts in the buffer, and
/// which part is inside the tensor.
struct BoxRow {
  std::int64_t offset = 0;  ///< may be before the buffer if `first` is not 0
  int first = 0;            ///< bytes [first, end) are inside
  int end = 0;
};
BoxRow box_row(const TensorMap& map, const std::vector<std::int64_t>& coordinates, int row);

}  // namespace tcsim::isa
