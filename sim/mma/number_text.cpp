#include "sim/mma/number_text.hpp"

#include <fmt/format.h>

#include "models/numerics/convert.hpp"
#include "models/numerics/integer_mma.hpp"

namespace tcsim::mma {

std::string to_decimal(numerics::ElementType type, std::uint64_t pattern) {
  if (type == numerics::ElementType::kInt32)
    return fmt::format("{}", static_cast<std::int32_t>(pattern));
  if (type == numerics::ElementType::kB1) return fmt::format("{}", pattern & 1);
  if (numerics::is_integer(type)) return fmt::format("{}", numerics::integer_value(type, pattern));
  return fmt::format("{}", numerics::value_as_double(type, pattern));
}

}  // namespace tcsim::mma
