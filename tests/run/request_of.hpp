#pragma once

#include <string>

#include "sim/run/request_io.hpp"

namespace tcsim::run {

/// The request of a file with that text.
inline RunRequest request_of(const std::string& text) { return read_request("request", text); }

}  // namespace tcsim::run
