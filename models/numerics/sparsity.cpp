#include "models/numerics/sparsity.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "models/numerics/mma.hpp"

namespace tcsim::numerics {

namespace {

std::string binary(std::uint8_t nibble) {
  std::string digits;
  for (int bit = 3; bit >= 0; --bit) digits += (nibble >> bit & 1) != 0 ? '1' : '0';
  return digits;
}

bool is_legal(ElementType type, std::uint8_t nibble, bool ordered) {
  const int first = nibble & 3;
  const int second = nibble >> 2;
  if (type == ElementType::kTf32) return nibble == 0b0100 || nibble == 0b1110;
  return first != second && (!ordered || first < second);
}

void append_positions(ElementType type, int chunk_begin, std::uint8_t nibble,
                      std::vector<int>& positions) {
  const int first = nibble & 3;
  const int second = nibble >> 2;
  if (type == ElementType::kTf32) {
    positions.push_back(chunk_begin + first / 2);
  } else if (bits(type) == 4) {
    for (const int pair : {first, second})
      for (const int half : {0, 1}) positions.push_back(chunk_begin + 2 * pair + half);
  } else {
    positions.push_back(chunk_begin + first);
    positions.push_back(chunk_begin + second);
  }
}

/// Question Q7, the other answer: an infinity or NaN of B at an unselected (zero) position.
bool unselected_special(const Arithmetic& arithmetic, std::span<const int> positions,
                        std::span<const std::uint64_t> b) {
  if (arithmetic.scheme != Scheme::kBlocks) return false;
  for (std::size_t k = 0; k < b.size(); ++k) {
    const ExactValue value = decode(format_of(arithmetic.key.b), b[k]);
    const bool special = value.value_class >= ValueClass::kInfinity;
    if (special &&
        std::find(positions.begin(), positions.end(), static_cast<int>(k)) == positions.end())
      return true;
  }
  return false;
}

}  // namespace

int sparse_chunk(ElementType type) {
  if (type == ElementType::kTf32) return 2;
  return bits(type) == 4 ? 8 : 4;
}

Result<std::vector<int>> selected_positions(ElementType type, std::span<const std::uint8_t> nibbles,
                                            bool ordered) {
  const int length = sparse_chunk(type);
  std::vector<int> positions;
  for (std::size_t chunk = 0; chunk < nibbles.size(); ++chunk) {
    if (!is_legal(type, nibbles[chunk], ordered))
      return mistake("metadata nibble " + binary(nibbles[chunk]) + " of chunk " +
                     std::to_string(chunk) + " selects no legal pair of positions for " +
                     std::string(name(type)));
    append_positions(type, static_cast<int>(chunk) * length, nibbles[chunk], positions);
  }
  return positions;
}

std::uint64_t sparse_mma(const Arithmetic& arithmetic, std::span<const std::uint64_t> stored_a,
                         std::span<const int> positions, std::span<const std::uint64_t> b,
                         std::uint64_t c) {
  assert(stored_a.size() == positions.size());
  std::vector<std::uint64_t> selected_b(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    selected_b[i] = b[static_cast<std::size_t>(positions[i])];
  const UndecidedBehavior& undecided = arithmetic.undecided;
  if (undecided.unselected_operand_is_seen && unselected_special(arithmetic, positions, b))
    return format_of(arithmetic.key.accumulator).canonical_nan;
  if (undecided.sparse_block_counts_selected) return mma(arithmetic, stored_a, selected_b, c);
  Arithmetic by_dense_position = arithmetic;
  by_dense_position.block.products = std::max(1, arithmetic.block.products / 2);
  return mma(by_dense_position, stored_a, selected_b, c);
}

MetadataLayout::Family MetadataLayout::family_of(const MmaInstruction& instruction) {
  const int chunks = instruction.shape.k / sparse_chunk(instruction.a);
  if (chunks == 4) return Family::kOneLane;
  if (chunks == 16) return Family::kAllLanes;
  return bits(instruction.a) >= 16 ? Family::kLanePerK : Family::kLanePerRow;
}

int MetadataLayout::selectors(const MmaInstruction& instruction) {
  switch (family_of(instruction)) {
    case Family::kOneLane:
      return 4;
    case Family::kAllLanes:
      return 1;
    default:
      return 2;
  }
}

MetadataLayout::MetadataLayout(const MmaInstruction& instruction, int selector)
    : family_(family_of(instruction)),
      selector_(selector),
      chunks_per_row_(instruction.shape.k / sparse_chunk(instruction.a)) {
  assert(instruction.sparse);
  assert(0 <= selector && selector < selectors(instruction));
}

MetadataLayout::Slot MetadataLayout::slot(Chunk chunk) const {
  const int group_lane = 32 * (chunk.row / 16) + 4 * (chunk.row % 8);
  const int half = chunk.row / 8 % 2;
  switch (family_) {
    case Family::kOneLane:
      return {group_lane + selector_, 4 * half + chunk.index};
    case Family::kLanePerK:
      return {group_lane + 2 * selector_ + chunk.index / 4, 4 * half + chunk.index % 4};
    case Family::kLanePerRow:
      return {group_lane + 2 * selector_ + half, chunk.index};
    case Family::kAllLanes:
      return {group_lane + half + 2 * (chunk.index / 8), chunk.index % 8};
  }
  return {};
}

}  // namespace tcsim::numerics
