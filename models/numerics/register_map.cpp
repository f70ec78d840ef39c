#include "models/numerics/register_map.hpp"

#include <cassert>

namespace tcsim::numerics {

RegisterMap::RegisterMap(const Fragment& fragment, Order order)
    : element_bits_(bits(fragment.type())),
      image_size_(static_cast<std::size_t>(fragment.lanes() * fragment.registers_per_lane())),
      matrix_size_(static_cast<std::size_t>(fragment.rows() * fragment.columns())) {
  const bool row_major = order == Order::kRowMajor;
  const int outer = row_major ? fragment.rows() : fragment.columns();
  const int inner = row_major ? fragment.columns() : fragment.rows();
  for (int matrix = 0; matrix < fragment.matrices(); ++matrix)
    for (int i = 0; i < outer; ++i)
      for (int j = 0; j < inner; ++j) {
        const FragmentSlot slot = fragment.slot({matrix, row_major ? i : j, row_major ? j : i});
        const RegisterField field = fragment.field(slot.element);
        const int word = slot.lane * fragment.registers_per_lane() + field.index;
        places_.push_back(
            {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(field.shift)});
      }
}

void RegisterMap::gather(std::span<const std::uint32_t> image, int matrix,
                         std::span<std::uint32_t> patterns) const {
  assert(patterns.size() == matrix_size_ && element_bits_ <= 32);
  const std::uint32_t mask = element_bits_ == 32 ? ~0U : (1U << element_bits_) - 1;
  const auto places = places_of(matrix);
  for (std::size_t i = 0; i < places.size(); ++i)
    patterns[i] = image[places[i].word] >> places[i].shift & mask;
}

void RegisterMap::gather(std::span<const std::uint32_t> image, int matrix,
                         std::span<std::uint64_t> patterns) const {
  assert(patterns.size() == matrix_size_);
  const std::uint64_t mask =
      element_bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << element_bits_) - 1;
  const auto places = places_of(matrix);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::uint64_t word = image[places[i].word];
    if (element_bits_ == 64) word |= std::uint64_t{image[places[i].word + 1]} << 32;
    patterns[i] = word >> places[i].shift & mask;
  }
}

void RegisterMap::scatter(std::span<const std::uint32_t> patterns, int matrix,
                          std::span<std::uint32_t> image) const {
  assert(patterns.size() == matrix_size_ && image.size() == image_size_);
  const auto places = places_of(matrix);
  for (std::size_t i = 0; i < places.size(); ++i)
    image[places[i].word] |= patterns[i] << places[i].shift;
}

void RegisterMap::scatter(std::span<const std::uint64_t> patterns, int matrix,
                          std::span<std::uint32_t> image) const {
  assert(patterns.size() == matrix_size_ && image.size() == image_size_);
  const auto places = places_of(matrix);
  for (std::size_t i = 0; i < places.size(); ++i) {
    image[places[i].word] |= static_cast<std::uint32_t>(patterns[i]) << places[i].shift;
    if (element_bits_ == 64)
      image[places[i].word + 1] |= static_cast<std::uint32_t>(patterns[i] >> 32);
  }
}

}  // namespace tcsim::numerics
