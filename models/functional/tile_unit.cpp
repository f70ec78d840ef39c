#include "models/functional/tile_unit.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "models/functional/atomic.hpp"

namespace tcsim::functional {
namespace {

constexpr int kPieceBytes = 16;

/// Adds words of FP32 to those of a tensor. Requires spans of one length, of whole words.
void add(std::span<const std::uint8_t> words, std::span<std::uint8_t> tensor) {
  for (std::size_t i = 0; i < words.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::uint32_t old = 0;
    std::memcpy(&word, &words[i], sizeof word);
    std::memcpy(&old, &tensor[i], sizeof old);
    const auto sum = static_cast<std::uint32_t>(
        atomic_result(isa::AtomicOperation::kAdd, isa::AtomicType::kF32, old, word, 0));
    std::memcpy(&tensor[i], &sum, sizeof sum);
  }
}

}  // namespace

numerics::Result<TileCopy> TileUnit::resolve(const isa::TileOperand& operand,
                                             const isa::Bindings& bindings,
                                             const Accessor& issuer) const {
  TileCopy copy;
  copy.issuer = issuer;
  copy.map = operand.map;
  for (const isa::Expression& coordinate : operand.coordinates)
    copy.coordinates.push_back(isa::evaluate(coordinate, bindings));
  copy.shared_offset = isa::evaluate(operand.shared, bindings);
  const int bytes = bytes_of(copy);
  if (copy.shared_offset < 0 || copy.shared_offset + bytes > shared_.size())
    return numerics::mistake("a box of " + std::to_string(bytes) + " bytes at shared offset " +
                             std::to_string(copy.shared_offset) + ", outside its " +
                             std::to_string(shared_.size()) + " bytes");
  if (copy.shared_offset % isa::TensorMap::kSharedAlignment != 0)
    return numerics::mistake("a box at shared offset " + std::to_string(copy.shared_offset) +
                             ", which is not a multiple of 128");
  return copy;
}

/// Calls `move` with the bytes of each piece in shared memory, the byte of the buffer at which it
/// starts, and which of its bytes lie inside the tensor.
template <typename Move>
void TileUnit::for_each_piece(const TileCopy& copy, Move move) const {
  const isa::TensorMap& map = map_of(copy);
  const isa::Swizzle swizzle = isa::swizzle_of(map.swizzle);
  const int pitch = map.box_row_bytes();
  for (int row = 0; row < map.box_rows(); ++row) {
    const isa::BoxRow inside = isa::box_row(map, copy.coordinates, row);
    for (int byte = 0; byte < pitch; byte += kPieceBytes) {
      const auto clamped = [&](int element) {
        return static_cast<std::size_t>(
            std::clamp(element * map.element_bytes - byte, 0, kPieceBytes));
      };
      const std::int64_t at = swizzle.apply(copy.shared_offset + std::int64_t{row} * pitch + byte);
      move(shared_.bytes(at, kPieceBytes), inside.offset + byte, clamped(inside.first),
           clamped(inside.end));
    }
  }
}

int TileUnit::land(const TileCopy& copy) {
  const std::span<const std::uint8_t> buffer =
      buffers_[static_cast<std::size_t>(map_of(copy).buffer)];
  for_each_piece(copy, [&](std::span<std::uint8_t> piece, std::int64_t from, std::size_t first,
                           std::size_t end) {
    std::ranges::fill(piece, 0);
    for (std::size_t i = first; i < end; ++i) piece[i] = buffer[static_cast<std::size_t>(from) + i];
  });
  const int bytes = bytes_of(copy);
  shared_.races().close_write(copy.shared_offset, bytes);
  return bytes;
}

void TileUnit::store(const TileCopy& copy) {
  const std::span<std::uint8_t> buffer = buffers_[static_cast<std::size_t>(map_of(copy).buffer)];
  for_each_piece(copy, [&](std::span<std::uint8_t> piece, std::int64_t to, std::size_t first,
                           std::size_t end) {
    if (first >= end) return;
    const std::span<const std::uint8_t> inside = piece.subspan(first, end - first);
    const auto place = static_cast<std::size_t>(to + static_cast<std::int64_t>(first));
    const std::span<std::uint8_t> tensor = buffer.subspan(place, inside.size());
    if (copy.is_added)
      add(inside, tensor);
    else
      std::ranges::copy(inside, tensor.begin());
  });
  RaceDetector& races = shared_.races();
  const int warp = copy.issuer.warp;
  races.close_read(copy.issuer, warp, races.order().time_of(warp), copy.shared_offset,
                   bytes_of(copy));
}

}  // namespace tcsim::functional
