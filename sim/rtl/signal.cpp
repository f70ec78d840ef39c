#include "sim/rtl/signal.hpp"

#include <verilated.h>
#include <verilated_sym_props.h>

#include <stdexcept>

namespace tcsim::rtl {

Signal::Signal(const std::string& scope, const std::string& name) {
  const VerilatedScope* const found = Verilated::threadContextp()->scopeFind(scope.c_str());
  const VerilatedVar* const variable = found ? found->varFind(name.c_str()) : nullptr;
  if (!variable) throw std::logic_error("no public signal " + scope + "." + name);
  data_ = variable->datap();
  width_ = variable->packed().elements();
  wide_ = variable->vltype() == VLVT_WDATA;
}

std::uint64_t Signal::word(int index) const {
  if (wide_) return static_cast<const std::uint32_t*>(data_)[index];
  if (width_ > 32) return *static_cast<const std::uint64_t*>(data_) >> (32 * index) & 0xffffffffU;
  if (width_ > 16) return *static_cast<const std::uint32_t*>(data_);
  if (width_ > 8) return *static_cast<const std::uint16_t*>(data_);
  return *static_cast<const std::uint8_t*>(data_);
}

std::uint64_t Signal::bits(int low, int width) const {
  const int first = low / 32;
  const int last = (low + width - 1) / 32;
  const int shift = low % 32;
  std::uint64_t value = word(first) >> shift;
  for (int index = first + 1; index <= last; ++index)
    value |= word(index) << (32 * (index - first) - shift);
  return width == 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

std::int64_t Signal::signed_bits(int low, int width) const {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((bits(low, width) ^ sign) - sign);
}

}  // namespace tcsim::rtl
