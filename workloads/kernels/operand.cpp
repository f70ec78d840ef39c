#include "workloads/kernels/operand.hpp"

#include <algorithm>
#include <iterator>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kBankBytes = 128;  // one row of all 32 banks

isa::Expression tile_in_slice(KTile tile) {
  isa::Expression number = constant(tile.index);
  if (tile.in_loop) add_term(number, {.variable = isa::Variable::kLoop0, .coefficient = 1});
  return number;
}

}  // namespace

isa::Address SharedTile::at(const isa::Expression& across, const isa::Expression& k,
                            KTile tile) const {
  isa::Address address;
  address.swizzle = swizzle;
  address.offset.constant = base;
  add_scaled(address.offset, across, k_contiguous ? pitch_bytes : element_bytes);
  add_scaled(address.offset, k, k_contiguous ? element_bytes : pitch_bytes);
  if (tile.in_loop)
    add_term(address.offset, {.variable = isa::Variable::kLoop0,
                              .coefficient = stage_bytes,
                              .divisor = 1,
                              .modulus = static_cast<std::uint32_t>(stages),
                              .offset = static_cast<std::uint32_t>(tile.index % stages)});
  else
    address.offset.constant += std::int64_t{tile.index % stages} * stage_bytes;
  return address;
}

isa::Guard Operand::Move::guard() const {
  isa::Guard both = has_vector;
  both.bounds.insert(both.bounds.end(), inside.bounds.begin(), inside.bounds.end());
  return both;
}

int Operand::rounds() const { return ceil_div(vectors(), deal.threads()); }

Operand::Move Operand::move(const Raster& raster, int round, KTile tile) const {
  isa::Expression across;
  isa::Expression k;
  isa::Expression& along = k_contiguous ? k : across;  // the contiguous direction
  isa::Expression& over = k_contiguous ? across : k;
  const int row_vectors = (k_contiguous ? tile_k : tile_across) / vector_elements;
  const int rows = k_contiguous ? tile_across : tile_k;
  const int along_bits = log2_exact(row_vectors);
  const int over_bits = bits_below(rows);
  // FP64 along k is transposed during the copy: four elements of eight rows at once, a whole sector
  // of each row, fall into different banks. FP32 the same: eight elements of four rows.
  const bool is_turned = k_contiguous && !shared.k_contiguous &&
                         (element_bytes == 8 || (element_bytes == 4 && vector_elements == 1));
  const int bits_along = element_bytes == 8 ? 2 : 3;
  const int first_along = is_turned ? std::min(along_bits, bits_along) : along_bits;
  const int first_over = is_turned ? std::min(over_bits, kLaneBits - bits_along) : over_bits;
  const int first = first_along + first_over;
  deal.add_field(along, round, 0, first_along, vector_elements);
  deal.add_field(over, round, first_along, first_over, 1);
  deal.add_field(along, round, first, along_bits - first_along,
                 std::int64_t{vector_elements} << first_along);
  deal.add_field(over, round, first + along_bits - first_along, over_bits - first_over,
                 std::int64_t{1} << first_over);

  Move move;
  move.shared = shared.at(across, k, tile);

  isa::Expression absolute_across = across;
  if (is_a)
    raster.add_row(absolute_across, tile_across);
  else
    raster.add_column(absolute_across, tile_across);
  isa::Expression k_tile = tile_in_slice(tile);
  raster.add_first_k_tile(k_tile);

  deal.bound(move.has_vector, round, vectors());
  if (total_across % tile_across != 0)
    move.inside.bounds.push_back({absolute_across, total_across});
  bound_k(raster, k, k_tile, tile, move);
  std::int64_t batch_stride = total_across * total_k;
  if (gather) {
    Gather::Place place = gather->place({absolute_across, k_tile, k});
    add_scaled(move.global.offset, place.element, element_bytes);
    std::ranges::move(place.inside.bounds, std::back_inserter(move.inside.bounds));
    batch_stride = gather->batch_stride();
  } else {
    place_in_matrix(absolute_across, k, k_tile, move);
  }
  raster.add_batch(move.global.offset, batch_stride * element_bytes);
  return move;
}

void Operand::add_first_k(isa::Expression& sum, const isa::Expression& k_tile) const {
  if (k_tiles_per_row == 1)
    add_scaled(sum, k_tile, tile_k);
  else
    add_quotient(sum, 1, k_tile, k_tiles_per_row, 0);
}

void Operand::place_in_matrix(const isa::Expression& absolute_across, const isa::Expression& k,
                              const isa::Expression& k_tile, Move& move) const {
  isa::Expression absolute_k = k;
  add_first_k(absolute_k, k_tile);
  const std::int64_t along = element_bytes / interleave;
  const std::int64_t over = row_bytes() * interleave;
  add_scaled(move.global.offset, absolute_across, k_contiguous ? over : along);
  add_scaled(move.global.offset, absolute_k, k_contiguous ? along : over);
}

void Operand::bound_k(const Raster& raster, const isa::Expression& k, const isa::Expression& k_tile,
                      KTile tile, Move& move) const {
  // Whole k-tiles need one test per warp; only a tail needs one per lane.
  const bool has_tail = has_k_tail() && gather == nullptr;
  const std::int64_t beyond_shortest = tile.index + 1 - raster.fewest_k_tiles();
  if (!tile.in_loop && beyond_shortest <= 0 && !(beyond_shortest == 0 && has_tail)) return;
  if (raster.ends_early()) {
    isa::Expression beyond = tile_in_slice(tile);
    add_scaled(beyond, raster.k_tiles(), -1);
    move.inside.bounds.push_back({beyond, 0});
  }
  if (raster.ends_early() && !has_tail) return;
  isa::Expression absolute_k;
  add_first_k(absolute_k, k_tile);
  if (has_tail) add_scaled(absolute_k, k, 1);
  move.inside.bounds.push_back({absolute_k, total_k});
}

int widest_vector(std::int64_t contiguous, int element_bytes) {
  int elements = kChunkBytes / element_bytes;
  while (elements > 1 && contiguous % elements != 0) elements /= 2;
  return elements;
}

isa::Swizzle chunk_swizzle(int pitch_bytes) {
  // Several narrow rows share a bank row of 128 bytes, so fewer chunk bits need mixing, with bits
  // of the row number above those rows.
  const int bits =
      std::min(log2_exact(pitch_bytes / kChunkBytes), log2_exact(kBankBytes / kChunkBytes));
  const int shift =
      std::max(log2_exact(pitch_bytes), log2_exact(kBankBytes)) - log2_exact(kChunkBytes);
  return {.bits = static_cast<std::uint8_t>(bits),
          .base = static_cast<std::uint8_t>(log2_exact(kChunkBytes)),
          .shift = static_cast<std::uint8_t>(shift)};
}

isa::Swizzle word_swizzle(int pitch_bytes) {
  // Two bits of the row number move eight words, 32 bytes, to one of the four quarters of the
  // banks.
  constexpr int kEightWordsLog = 5;
  return {.bits = 2,
          .base = kEightWordsLog,
          .shift = static_cast<std::uint8_t>(log2_exact(pitch_bytes) - kEightWordsLog)};
}

}  // namespace tcsim::kernels
