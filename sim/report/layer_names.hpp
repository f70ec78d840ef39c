#pragma once

#include <string>

namespace tcsim::report {

/// The block that a layer is in: "layer.3" of "layer.3.query"; empty outside of repeated blocks.
std::string block_of(const std::string& layer);

/// The name that layers which repeat with their block share: "layer.*.query" of "layer.3.query".
std::string like_name(const std::string& layer);

}  // namespace tcsim::report
