#pragma once

#include <vector>

#include "models/quantization/quantizer.hpp"

namespace tcsim::quantization {

/// A matrix of 1 to 12 rows and columns whose rows differ in size by up to 2^20; zeros, equal
/// values and one-signed rows occur.
struct GeneratedMatrix {
  std::vector<float> values;
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  MatrixView<float> view() const { return {values, rows, columns}; }
};

/// Draw from rapidcheck; call inside a property.
GeneratedMatrix generated_matrix();
Scheme generated_scheme();

}  // namespace tcsim::quantization
