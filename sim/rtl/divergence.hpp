#pragma once

#include <string>

namespace tcsim::rtl {

/// The first point at which the RTL and the model differ.
struct Divergence {
  int element = -1;   ///< Of D, row-major; -1 when the order of results is wrong.
  std::string stage;  ///< As models/numerics names it.
  std::string value;  ///< What differs, for example "products[3].exponent".
  std::string rtl;
  std::string model;
};

}  // namespace tcsim::rtl
