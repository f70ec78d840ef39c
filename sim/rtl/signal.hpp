#pragma once

#include <cstdint>
#include <string>

namespace tcsim::rtl {

/// A signal inside a Verilated module, read as a string of bits.
class Signal {
 public:
  Signal() = default;
  /// Finds `scope`.`name`, a path with the instance name in front. Throws std::logic_error if the
  /// module has no such public signal: the module and its reader no longer fit each other.
  Signal(const std::string& scope, const std::string& name);
  /// The signal whose bits Verilator keeps at `data`: `width` of them, in 32-bit words (`wide`) or
  /// in one integer of the next fitting size.
  Signal(const void* data, int width, bool wide) : data_(data), width_(width), wide_(wide) {}

  /// Bits [low, low + width) as an unsigned number. Requires width <= 64 and bits that exist.
  std::uint64_t bits(int low, int width) const;
  /// The same in two's complement.
  std::int64_t signed_bits(int low, int width) const;
  /// The whole signal. Requires at most 64 bits.
  std::uint64_t value() const { return bits(0, width_); }
  int width() const { return width_; }

 private:
  std::uint64_t word(int index) const;

  const void* data_ = nullptr;
  int width_ = 0;
  bool wide_ = false;  ///< An array of 32-bit words, else one integer of the next fitting size.
};

}  // namespace tcsim::rtl
