#pragma once

#include <string>

#include "sim/files/byte_source.hpp"

namespace tcsim::networks {

/// The ONNX model in `source`, without the numbers of large tensors: weights are most of a model
/// and are not needed here, so memory grows only with the rest. Bytes that are not a model are
/// returned as far as they can be read, and the parser refuses them. Throws IoError.
std::string onnx_without_weights(files::ByteSource& source);

}  // namespace tcsim::networks
