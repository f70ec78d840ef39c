#include "sim/sweep/positions.hpp"

#include <algorithm>
#include <utility>

#include "sim/text/number.hpp"

namespace tcsim::sweep {

Positions::Positions(std::vector<std::string> values, bool from_zero) : values_(std::move(values)) {
  std::vector<double> numbers;
  for (const std::string& value : values_)
    if (const auto number = text::finite_number_of(value)) numbers.push_back(*number);
  numeric_ = numbers.size() == values_.size();
  if (!numeric_) return;
  const auto [least, most] = std::ranges::minmax(numbers);
  scale_ = plot::Scale::over(least, most, from_zero && least >= 0);
}

double Positions::of(const std::string& value) const {
  if (numeric_) return scale_.position(*text::finite_number_of(value));
  const auto index = std::ranges::find(values_, value) - values_.begin();
  return (static_cast<double>(index) + 0.5) / static_cast<double>(values_.size());
}

}  // namespace tcsim::sweep
