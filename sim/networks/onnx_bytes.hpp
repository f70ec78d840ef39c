#pragma once

#include <string>

#include "sim/files/byte_source.hpp"

namespace tcsim::networks {

/// The ONNX model that `source` holds without the numbers of large tensors: weights are most of a
/// model, and nobody computes with them here. Memory grows with the rest only. What is no model is
/// given back as far as it can be read, for the parser to refuse. Throws IoError.
std::string onnx_without_weights(files::ByteSource& source);

}  // namespace tcsim::networks
