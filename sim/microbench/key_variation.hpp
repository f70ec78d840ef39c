#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/microbench/published_table.hpp"

namespace tcsim::microbench {

/// The result of a row with one parameter at half and at twice its value.
struct KeyVariation {
  std::optional<double> halved;  ///< nothing: the machine or the row refuses that value
  std::optional<double> doubled;
};

/// The values of numeric `key` of `machine` with `overrides` halved and doubled, as settings
/// "key=value"; halves of integers round up. Throws ConfigError if the machine has no such number.
struct Variants {
  std::string value;
  std::string source;
  std::string halved;
  std::string doubled;
};
Variants variants_of(const std::string& key, const std::string& machine,
                     const std::vector<std::string>& overrides);

/// The keys of `machine` with `overrides` whose value is a number other than 0 and whose source is
/// the word `assumption`.
std::vector<std::string> assumed_keys(const std::string& machine,
                                      const std::vector<std::string>& overrides);

/// Measures `row` under both variants.
KeyVariation vary(const PublishedRow& row, const Variants& variants, const std::string& machine,
                  const std::vector<std::string>& overrides,
                  const std::function<bool()>& keep_going);

}  // namespace tcsim::microbench
