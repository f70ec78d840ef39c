#pragma once

#include <cstdint>
#include <string>

namespace tcsim::rtl {

/// A signal inside a Verilated module, read as a string of bits.
class Signal {
 public:
  Signal() = default;
  /// Finds `scope`.`name`, a path that starts with the instance name. Throws std::logic_error if
  /// the module has no such public signal: the module and its reader do not match.
  Signal(const std::string& scope, const std::string& name);
  /// The signal whose bits Verilator stores at `data`: `width` bits, in 32-bit words (`wide`) or in
  /// one integer of the next larger size.
  Signal(const void* data, int width, bool wide) : data_(data), width_(width), wide_(wide) {}

  /// Bits [low, low + width) as an unsigned number. Requires width <= 64 and that the bits exist.
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
  bool wide_ = false;  ///< Stored as an array of 32-bit words; otherwise as one integer of the next
                       ///< larger size.
};

}  // namespace tcsim::rtl
