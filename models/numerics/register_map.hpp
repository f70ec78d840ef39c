#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/numerics/fragment.hpp"

namespace tcsim::numerics {

/// A Fragment as a table: the position of every element of an operand in a lane-major register
/// image, in the order in which the arithmetic reads it. Built once per instruction, used for every
/// execution.
class RegisterMap {
 public:
  enum class Order : std::uint8_t { kRowMajor, kColumnMajor };

  RegisterMap() = default;
  RegisterMap(const Fragment& fragment, Order order);

  /// Size of a register image in words.
  std::size_t image_size() const { return image_size_; }
  /// Number of elements of one matrix of the operand.
  std::size_t matrix_size() const { return matrix_size_; }

  /// Reads the elements of matrix `matrix` in order. Requires patterns.size() == matrix_size(); the
  /// 32-bit form requires elements of at most 32 bits.
  void gather(std::span<const std::uint32_t> image, int matrix,
              std::span<std::uint64_t> patterns) const;
  void gather(std::span<const std::uint32_t> image, int matrix,
              std::span<std::uint32_t> patterns) const;

  /// Writes the elements back; their bits in the image must be zero before.
  void scatter(std::span<const std::uint64_t> patterns, int matrix,
               std::span<std::uint32_t> image) const;
  void scatter(std::span<const std::uint32_t> patterns, int matrix,
               std::span<std::uint32_t> image) const;

 private:
  struct Place {
    std::uint32_t word;
    std::uint32_t shift;
  };

  std::span<const Place> places_of(int matrix) const {
    return std::span(places_).subspan(static_cast<std::size_t>(matrix) * matrix_size_,
                                      matrix_size_);
  }

  int element_bits_ = 16;
  std::size_t image_size_ = 0;
  std::size_t matrix_size_ = 0;
  std::vector<Place> places_;
};

}  // namespace tcsim::numerics
