#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/isa/expression.hpp"

// Operands of the asynchronous instructions of Hopper: barriers in shared memory (SYNCS), copies of
// tiles (UTMALDG, UTMASTG, UTMAREDG) and of bytes in a row (UBLKCP, UBLKRED), and products of a
// warpgroup (HGMMA, QGMMA, IGMMA). One thread of a warp executes the first two, and a warpgroup the
// third, so no expression here depends on the lane. Sources: PTX ISA, mbarrier, cp.async.bulk,
// cp.reduce.async.bulk, and the same of tensors, wgmma; hopper.md 3 and 4.

namespace tcsim::isa {

/// Bytes of one mbarrier.
inline constexpr int kBarrierBytes = 8;
/// Arrivals that a phase of one expects at most, and bytes (PTX ISA, mbarrier).
inline constexpr std::int64_t kMostPhaseCount = (1 << 20) - 1;

/// How 16-byte pieces of a tile in shared memory change places: within rows of so many bytes.
enum class TileSwizzle : std::uint8_t { kNone, k32, k64, k128 };

/// Bytes of a row within which pieces change places; 16 for kNone, where none do.
constexpr int row_bytes(TileSwizzle swizzle) { return 16 << static_cast<int>(swizzle); }
/// The pattern repeats after eight rows.
constexpr int pattern_bytes(TileSwizzle swizzle) { return 8 * row_bytes(swizzle); }
/// Bits [7, 7 + B) of the shared address into [4, 4 + B).
constexpr Swizzle swizzle_of(TileSwizzle swizzle) {
  if (swizzle == TileSwizzle::kNone) return {};
  return {.bits = static_cast<std::uint8_t>(swizzle), .base = 4, .shift = 3};
}

/// A matrix operand in shared memory: blocks of eight rows of row_bytes(swizzle). With
/// `transposed` a row holds neighbours along m (A) or n (B), otherwise along k.
struct MatrixDescriptor {
  Expression start{};      ///< byte in shared memory
  int leading_bytes = 16;  ///< from block to block along a row: unswizzled along k, transposed
                           ///< along m or n (unswizzled and transposed: along k); otherwise unused
  int stride_bytes = 128;  ///< from block to block in the other direction
  TileSwizzle swizzle = TileSwizzle::kNone;
  bool transposed = false;

  bool operator==(const MatrixDescriptor&) const = default;
};

/// The byte of shared memory, relative to an aligned start and before the swizzle, at which byte
/// `byte` of a 16-byte piece lies: row `row` (of m or n) and byte column 16 * `piece` along k, or
/// with `transposed` row `row` of k and pieces along m or n.
std::int64_t piece_offset(const MatrixDescriptor& descriptor, int row, int piece);

/// Why no descriptor can start at byte `start`, or be as `descriptor` says; empty if it can.
std::string descriptor_problem(const MatrixDescriptor& descriptor);
std::string start_problem(const MatrixDescriptor& descriptor, std::int64_t start);

/// Of HGMMA, QGMMA, IGMMA. Where A comes from registers, `a` is not used.
struct MatrixOperands {
  MatrixDescriptor a{};
  MatrixDescriptor b{};

  bool operator==(const MatrixOperands&) const = default;
};

/// Of SYNCS: an mbarrier, and the arrivals that each of its phases expects (EXCH), the bytes that
/// the phase expects besides (ARRIVE.TRANS64), the parity of the phase waited for (TRYWAIT), or the
/// rank in the cluster of the CTA whose mbarrier it is (ARRIVE.TRANS64.RED).
struct BarrierOperand {
  Expression address{};  ///< byte in shared memory
  Expression value{};

  bool operator==(const BarrierOperand&) const = default;
};

/// Of UBLKCP, UBLKRED and UBLKPF: bytes in a row of a buffer, a box of one row without a tensor
/// map; of UBLKCP.S.S in the shared memory of a CTA of the cluster, where its mbarrier is, too.
struct RowOperand {
  static constexpr int kAlignment = 16;  ///< bytes, of its start and length (PTX ISA)
  static constexpr int kMostBytes = (1 << 20) - kAlignment;  ///< that an mbarrier counts

  int buffer = 0;       ///< index into KernelLaunch::buffers; UBLKCP.S.S: kNoIndex
  Expression offset{};  ///< byte of the buffer at which it starts; UBLKCP.S.S: a cluster_address
  Expression bytes{};

  bool operator==(const RowOperand&) const = default;
};

/// Why a row cannot have so many bytes; empty if it can.
std::string row_length_problem(std::int64_t bytes);

/// Of UTMALDG, UTMASTG and UTMAREDG: the box of tensor map `map` whose first element has these
/// coordinates, innermost first; in im2col mode behind them the offsets of the filter's tap along w
/// and h. Elements outside the tensor are read as zeros and not written. UTMAREDG.ADD takes
/// elements of 4 bytes, which are FP32. UBLKCP, UBLKRED and UBLKPF have `row` in the
/// place of both.
struct TileOperand {
  int map = 0;  ///< index into KernelLaunch::tensor_maps
  std::vector<Expression> coordinates{};
  Expression shared{};   ///< byte in shared memory at which the box starts
  Expression barrier{};  ///< loads: mbarrier that the bytes of the whole box complete on
  /// Loads with MULTICAST: bit r: the CTA of rank r in the cluster gets the box, at the same byte
  /// of its shared memory and on its mbarrier at the same byte.
  Expression ranks{};
  std::optional<RowOperand> row{};

  bool operator==(const TileOperand&) const = default;
};

using AsyncOperands = std::variant<BarrierOperand, TileOperand, MatrixOperands>;

/// Im2col mode of a tensor map of channels, w, h and images (cuTensorMapEncodeIm2col): a box holds
/// channels of the pixels under one tap of a filter at consecutive positions, which go along w,
/// then h, then from image to image. Along w and h:
struct Im2col {
  std::array<std::int64_t, 2> positions{1, 1};  ///< of the filter in an image
  std::array<std::int64_t, 2> pad{};            ///< the first one lies so many pixels before it
  std::array<std::int64_t, 2> stride{1, 1};     ///< pixels from one to the next
  bool operator==(const Im2col&) const = default;
};

/// A tensor in global memory and the box in which it is copied (CUtensorMap).
struct TensorMap {
  static constexpr int kMostDimensions = 5;
  static constexpr int kMostBox = 256;             ///< elements of a box along one dimension
  static constexpr int kMostBoxBytes = 32 * 1024;  ///< FV, measured: hopper.md 4
  static constexpr int kSharedAlignment = 128;     ///< bytes, of a box in shared memory

  std::string name{};
  int buffer = 0;  ///< index into KernelLaunch::buffers; the tensor starts with it
  int element_bytes = 2;
  std::vector<std::int64_t> extents{};  ///< elements, innermost first
  std::vector<std::int64_t> strides{};  ///< bytes, of all dimensions but the innermost
  std::vector<int> box{};               ///< elements; in im2col mode channels and pixels
  TileSwizzle swizzle = TileSwizzle::kNone;
  std::optional<Im2col> im2col{};

  [[nodiscard]] int dimensions() const { return static_cast<int>(extents.size()); }
  /// That an instruction gives.
  [[nodiscard]] int coordinates() const { return dimensions() + (im2col ? 2 : 0); }
  [[nodiscard]] int box_row_bytes() const { return box.front() * element_bytes; }
  [[nodiscard]] int box_rows() const;  ///< along all dimensions but the innermost
  [[nodiscard]] int box_bytes() const { return box_rows() * box_row_bytes(); }
  bool operator==(const TensorMap&) const = default;
};

/// What no tensor map may be, one sentence each, for a buffer of `buffer_bytes`.
std::vector<std::string> problems_of(const TensorMap& map, std::uint64_t buffer_bytes);

/// Row `row` of the box of `map` at `coordinates`, in bytes: where it begins in the buffer, which
/// of it lies inside the tensor.
struct BoxRow {
  std::int64_t offset = 0;  ///< may lie before the buffer if `first` is not 0
  int first = 0;            ///< bytes [first, end) are inside
  int end = 0;
};
BoxRow box_row(const TensorMap& map, const std::vector<std::int64_t>& coordinates, int row);

}  // namespace tcsim::isa
