#include "models/functional/tile_unit.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "models/functional/atomic.hpp"

namespace tcsim::functional {
namespace {

constexpr int kChunkBytes = 16;

/// Adds FP32 words to those of a tensor. Requires spans of equal length, in whole words.
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

std::string TileUnit::place_problem(const isa::Box& box, std::int64_t offset, std::int64_t size) {
  const std::string what = box.map != nullptr ? "a box" : "a row";
  if (offset < 0 || offset > size - box.bytes())
    return what + " of " + std::to_string(box.bytes()) + " bytes at shared offset " +
           std::to_string(offset) + ", outside its " + std::to_string(size) + " bytes";
  if (offset % box.shared_alignment() != 0)
    return what + " at shared offset " + std::to_string(offset) + ", which is not a multiple of " +
           std::to_string(box.shared_alignment());
  return {};
}

/// Why contiguous bytes are not a valid row or are outside their buffer; empty if they are valid.
/// Elements of a tensor's box may be outside.
std::string TileUnit::row_problem(const isa::Box& box) const {
  if (box.map != nullptr) return {};
  if (std::string problem = isa::row_length_problem(box.length); !problem.empty()) return problem;
  if (box.buffer == isa::kNoIndex) return {};
  const std::string row = "a row of " + std::to_string(box.length) + " bytes at byte " +
                          std::to_string(box.offset) + " of its buffer";
  const auto size = static_cast<std::int64_t>(buffer_of(box).size());
  if (box.offset < 0 || box.offset > size - box.length)
    return row + ", outside its " + std::to_string(size) + " bytes";
  if (box.offset % isa::RowOperand::kAlignment != 0) return row + ", not a multiple of 16";
  return {};
}

numerics::Result<TileCopy> TileUnit::resolve(const isa::TileOperand& operand,
                                             const isa::Bindings& bindings,
                                             const Accessor& issuer) const {
  TileCopy copy{.issuer = issuer, .box = isa::box_of(launch_, operand, bindings)};
  copy.shared_offset = isa::evaluate(operand.shared, bindings);
  if (std::string problem = row_problem(copy.box); !problem.empty())
    return numerics::mistake(std::move(problem));
  if (std::string problem = place_problem(copy.box, copy.shared_offset, shared_.size());
      !problem.empty())
    return numerics::mistake(std::move(problem));
  return copy;
}

/// Calls `move` with the bytes of each piece in shared memory, the buffer byte at which the piece
/// starts, and which of its bytes are inside the tensor.
template <typename Move>
void TileUnit::for_each_piece(const TileCopy& copy, Move move) const {
  const isa::Swizzle swizzle = copy.box.swizzle();
  const int pitch = copy.box.row_bytes();
  const int rows = copy.box.rows();
  for (int row = 0; row < rows; ++row) {
    const isa::BoxRow inside = copy.box.row(row);
    for (int byte = 0; byte < pitch; byte += kChunkBytes) {
      const auto clamped = [&](int end) {
        return static_cast<std::size_t>(std::clamp(end - byte, 0, kChunkBytes));
      };
      const std::int64_t at = swizzle.apply(copy.shared_offset + std::int64_t{row} * pitch + byte);
      move(shared_.bytes(at, kChunkBytes), inside.offset + byte, clamped(inside.first),
           clamped(inside.end));
    }
  }
}

int TileUnit::land(const TileCopy& copy) {
  const std::span<const std::uint8_t> buffer = buffer_of(copy.box);
  for_each_piece(copy, [&](std::span<std::uint8_t> piece, std::int64_t from, std::size_t first,
                           std::size_t end) {
    std::ranges::fill(piece, 0);
    for (std::size_t i = first; i < end; ++i) piece[i] = buffer[static_cast<std::size_t>(from) + i];
  });
  const int bytes = copy.box.bytes();
  shared_.races().close_write(copy.shared_offset, bytes);
  return bytes;
}

void TileUnit::store(const TileCopy& copy) {
  const std::span<std::uint8_t> buffer = buffer_of(copy.box);
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
                   copy.box.bytes());
}

}  // namespace tcsim::functional
