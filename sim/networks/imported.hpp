#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// The most that `macs` of a skipped part may be in a network file, 2^53; imports state no more.
inline constexpr double kMostSkippedMacs = 9007199254740992.0;

/// A network made from a file of another program, and notes on its parts.
struct Imported {
  Network network;
  std::vector<std::string> changed;  ///< repairs and replacements, a line each
  std::vector<std::string> dropped;  ///< parts without counterpart and without work, a line each
  /// For every name of a layer, the number that the next layer of this name receives.
  std::map<std::string, int> next_numbers;
};

/// A view of `input` as `shape`, or separate memory if that has other elements.
Layer view_of(const Network& network, int input, const std::string& name, const Shape& shape);

/// Appends `layer`, which reads `inputs`, with its shape; if its name occurs again, with a number
/// behind it ("conv#2"), and with "layer" before one that no layer may have. Returns its index, or
/// -1 and a reason.
int append(Imported& imported, Layer layer, std::string& reason);

}  // namespace tcsim::networks
