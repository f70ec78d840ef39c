#pragma once

#include <string>
#include <vector>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// A network made from a file of another program, and notes on its parts.
struct Imported {
  Network network;
  std::vector<std::string> changed;  ///< repairs and replacements, a line each
  std::vector<std::string> dropped;  ///< parts without counterpart and without work, a line each
};

/// A view of `input` as `shape`, or separate memory if that has other elements.
Layer view_of(const Network& network, int input, const std::string& name, const Shape& shape);

/// Appends `layer`, which reads `inputs`, with its shape. Returns its index, or -1 and a reason.
int append(Network& network, Layer layer, std::string& reason);

}  // namespace tcsim::networks
