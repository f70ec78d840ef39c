#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "sim/networks/onnx_shape_rules.hpp"

namespace tcsim::networks {

/// True for the names of ONNX's own domain.
bool is_name_of_onnx(const std::string& domain);

/// True for operators of ONNX's own domain.
bool is_of_onnx(const onnx::NodeProto& node);

/// Throws InputError unless `model` names an opset, every tensor is made once, its results exist
/// and its weights have sizes.
void require_sound(const onnx::ModelProto& model, const std::string& file);

/// Throws std::invalid_argument with a reason if a node lacks inputs or results, an attribute has a
/// type or value that its operator does not know, or weights do not fit each other or what they
/// meet.
void require_fitting(const OnnxOperands& operands);

}  // namespace tcsim::networks
