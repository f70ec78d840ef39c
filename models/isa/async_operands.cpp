#include "models/isa/async_operands.hpp"

#include <algorithm>

#include "models/isa/name_text.hpp"

namespace tcsim::isa {
namespace {

constexpr int kPieceBytes = 16;
constexpr int kBlockRows = 8;
constexpr std::int64_t kMostOffset =
    std::int64_t{1 << 14} * kPieceBytes;  // 14 bits of a descriptor
constexpr std::int64_t kMostExtent = std::int64_t{1} << 32;
constexpr std::size_t kImageDimensions = 4;
constexpr std::int64_t kMostStride = std::int64_t{1} << 40;

std::string fields_problem(const char* name, int bytes) {
  if (bytes >= 0 && bytes % kPieceBytes == 0 && bytes < kMostOffset) return {};
  return std::string("a ") + name + " offset of " + std::to_string(bytes) +
         " bytes, allowed multiples of 16 below " + std::to_string(kMostOffset);
}

/// The rules of cuTensorMapEncodeIm2col for four dimensions, whose `extents` are those of the map.
/// A corner says by how many pixels the places of filters begin before or end after an image.
std::vector<std::string> problems_of(const Im2col& im2col,
                                     const std::vector<std::int64_t>& extents) {
  constexpr std::int64_t kMostPad = 128;
  constexpr std::int64_t kLeastCorner = -128;
  constexpr std::int64_t kMostCorner = 127;
  constexpr std::int64_t kMostStep = 8;
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < 2; ++i) {
    if (im2col.positions[i] < 1 || im2col.positions[i] > kMostExtent)
      problems.emplace_back("positions are 1 to 2^32 along w and h");
    if (im2col.pad[i] < 0 || im2col.pad[i] > kMostPad)
      problems.emplace_back("a pad is 0 to 128 pixels");
    if (im2col.stride[i] < 1 || im2col.stride[i] > kMostStep)
      problems.emplace_back("a stride of im2col mode is 1 to 8 pixels");
    if (!problems.empty()) continue;
    // The places end less than a stride after the last of them.
    const std::int64_t least = kLeastCorner - (im2col.stride[i] - 1);
    const std::int64_t last =
        (im2col.positions[i] - 1) * im2col.stride[i] - im2col.pad[i] - (extents[i + 1] - 1);
    if (last < least || last > kMostCorner)
      problems.push_back("the last position is " + std::to_string(last) +
                         " pixels after the image's last pixel, allowed " + std::to_string(least) +
                         " to " + std::to_string(kMostCorner));
  }
  return problems;
}

/// Bytes from the start of the tensor to the first channel of pixel `row` of a box; empty if the
/// pixel is outside.
std::optional<std::int64_t> pixel_offset(const TensorMap& map,
                                         const std::vector<std::int64_t>& coordinates, int row) {
  const Im2col& walk = *map.im2col;
  std::array<std::int64_t, 2> first{};  // position of the box's first pixel
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t pixels = coordinates[i + 1] + walk.pad[i];
    if (pixels < 0) return {};
    first[i] = pixels / walk.stride[i];
  }
  const auto [columns, rows] = walk.positions;
  const std::int64_t along_w = first[0] + row;
  const std::int64_t along_h = first[1] + along_w / columns;
  const std::array<std::int64_t, 2> position{along_w % columns, along_h % rows};
  const std::int64_t image = coordinates[3] + along_h / rows;
  if (image < 0 || image >= map.extents[3]) return {};
  std::int64_t offset = image * map.strides[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t at =
        position[i] * walk.stride[i] - walk.pad[i] + coordinates[kImageDimensions + i];
    if (at < 0 || at >= map.extents[i + 1]) return {};
    offset += at * map.strides[i];
  }
  return offset;
}

}  // namespace

std::int64_t piece_offset(const MatrixDescriptor& descriptor, int row, int piece) {
  const int pieces = row_bytes(descriptor.swizzle) / kPieceBytes;
  std::int64_t along = descriptor.leading_bytes;
  std::int64_t across = descriptor.stride_bytes;
  if (descriptor.transposed && descriptor.swizzle == TileSwizzle::kNone) std::swap(along, across);
  return (row / kBlockRows) * across +
         std::int64_t{row % kBlockRows} * row_bytes(descriptor.swizzle) + (piece / pieces) * along +
         std::int64_t{piece % pieces} * kPieceBytes;
}

std::string descriptor_problem(const MatrixDescriptor& descriptor) {
  std::string leading = fields_problem("leading byte", descriptor.leading_bytes);
  if (!leading.empty()) return leading;
  std::string stride = fields_problem("stride byte", descriptor.stride_bytes);
  if (!stride.empty()) return stride;
  const int pattern = pattern_bytes(descriptor.swizzle);
  const int step = descriptor.transposed ? descriptor.leading_bytes : descriptor.stride_bytes;
  if (descriptor.swizzle == TileSwizzle::kNone || step % pattern == 0) return {};
  return "blocks " + std::to_string(step) + " bytes apart, but its swizzle repeats every " +
         std::to_string(pattern);
}

std::string start_problem(const MatrixDescriptor& descriptor, std::int64_t start) {
  const int pattern = pattern_bytes(descriptor.swizzle);
  if (start < 0 || start % kPieceBytes != 0 || start >= kMostOffset)
    return "a descriptor starts at byte " + std::to_string(start) +
           ", allowed multiples of 16 below " + std::to_string(kMostOffset);
  if (descriptor.swizzle == TileSwizzle::kNone || start % pattern < row_bytes(descriptor.swizzle))
    return {};
  return "a descriptor starts at byte " + std::to_string(start) +
         ", which is not in the first row of a block of " + std::to_string(pattern) +
         " bytes, as its swizzle of " + std::to_string(row_bytes(descriptor.swizzle)) +
         " bytes wants";
}

std::string row_length_problem(std::int64_t bytes) {
  if (bytes > 0 && bytes <= RowOperand::kMostBytes && bytes % RowOperand::kAlignment == 0)
    return {};
  return "a row of " + std::to_string(bytes) + " bytes, allowed multiples of 16 up to " +
         std::to_string(RowOperand::kMostBytes);
}

int TensorMap::box_rows() const {
  int rows = 1;
  for (std::size_t d = 1; d < box.size(); ++d) rows *= box[d];
  return rows;
}

std::vector<std::string> problems_of(const TensorMap& map, std::uint64_t buffer_bytes) {
  std::vector<std::string> problems;
  const auto report = [&](const std::string& what) {
    problems.push_back("tensor map " + name_text(map.name) + ": " + what);
  };
  const std::size_t dimensions = map.extents.size();
  if (map.im2col) {
    if (dimensions != kImageDimensions || map.strides.size() + 1 != dimensions ||
        map.box.size() != 2) {
      report(
          "im2col mode needs the dimensions channels, w, h and images with three strides, and "
          "boxes of channels and pixels");
      return problems;
    }
    for (const std::string& problem : problems_of(*map.im2col, map.extents)) report(problem);
  } else if (dimensions < 1 || dimensions > TensorMap::kMostDimensions ||
             map.strides.size() + 1 != dimensions || map.box.size() != dimensions) {
    report(std::to_string(dimensions) + " extents, " + std::to_string(map.strides.size()) +
           " strides and " + std::to_string(map.box.size()) +
           " sides of a box; allowed 1 to 5 extents with one stride fewer and as many sides");
    return problems;
  }
  if (map.element_bytes != 1 && map.element_bytes != 2 && map.element_bytes != 4 &&
      map.element_bytes != 8)
    report("elements of " + std::to_string(map.element_bytes) + " bytes, allowed 1, 2, 4 and 8");
  const auto is_side = [](int side) { return side >= 1 && side <= TensorMap::kMostBox; };
  if (!std::ranges::all_of(map.box, is_side)) report("a box has sides of 1 to 256 elements");
  const auto is_extent = [](std::int64_t extent) { return extent >= 1 && extent <= kMostExtent; };
  if (!std::ranges::all_of(map.extents, is_extent)) report("an extent is 1 to 2^32");
  for (const std::int64_t stride : map.strides)
    if (stride % kPieceBytes != 0 || stride < 0 || stride >= kMostStride)
      report("a stride of " + std::to_string(stride) +
             " bytes, allowed multiples of 16 below 2^40");
  if (!problems.empty()) return problems;
  const int inner = map.box_row_bytes();
  std::int64_t rows = 1;
  for (std::size_t d = 1; d < map.box.size(); ++d) rows *= map.box[d];
  if (rows * inner > TensorMap::kMostBoxBytes)
    report("a box of " + std::to_string(rows * inner) + " bytes, allowed 32768");
  if (inner % kPieceBytes != 0)
    report("rows of a box have " + std::to_string(inner) + " bytes, allowed multiples of 16");
  if (map.swizzle != TileSwizzle::kNone && inner > row_bytes(map.swizzle))
    report("rows of a box have " + std::to_string(inner) + " bytes, its swizzle allows " +
           std::to_string(row_bytes(map.swizzle)));
  auto end = static_cast<std::uint64_t>(map.extents[0] * map.element_bytes);
  for (std::size_t d = 1; d < dimensions; ++d) {
    const auto steps = static_cast<std::uint64_t>(map.extents[d] - 1);
    const auto stride = static_cast<std::uint64_t>(map.strides[d - 1]);
    if (stride != 0 && steps > buffer_bytes / stride) end = buffer_bytes + 1;
    if (end <= buffer_bytes) end += steps * stride;
  }
  if (problems.empty() && end > buffer_bytes)
    report("reaches beyond the " + std::to_string(buffer_bytes) + " bytes of its buffer");
  return problems;
}

BoxRow box_row(const TensorMap& map, const std::vector<std::int64_t>& coordinates, int row) {
  BoxRow result;
  // Nothing is computed far outside the tensor, where values might overflow.
  if (coordinates[0] <= -map.box[0] || coordinates[0] >= map.extents[0]) return result;
  if (map.im2col) {
    const std::optional<std::int64_t> pixel = pixel_offset(map, coordinates, row);
    if (!pixel) return result;
    result.offset = *pixel;
  } else {
    for (std::size_t d = 1; d < map.extents.size(); ++d) {
      const std::int64_t at = coordinates[d] + row % map.box[d];
      row /= map.box[d];
      if (at < 0 || at >= map.extents[d]) return {};
      result.offset += at * map.strides[d - 1];
    }
  }
  result.offset += coordinates[0] * map.element_bytes;
  const auto clamped = [&map](std::int64_t element) {
    return static_cast<int>(std::clamp<std::int64_t>(element, 0, map.box[0])) * map.element_bytes;
  };
  result.first = clamped(-coordinates[0]);
  result.end = std::max(result.first, clamped(map.extents[0] - coordinates[0]));
  return result;
}

}  // namespace tcsim::isa
