#include "sim/microbench/key_variation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/number.hpp"
#include "sim/files/nearest.hpp"
#include "sim/microbench/measure.hpp"

namespace tcsim::microbench {
namespace {

std::string scaled(const config::Setting& setting, double value, double factor) {
  const bool is_integer = setting.value.find('.') == std::string::npos;
  const double result = is_integer ? std::ceil(value * factor) : value * factor;
  return fmt::format("{}={}", setting.key, config::number_text(result));
}

/// Settings of `machine` that contradict each other have no figure.
std::optional<double> model_with(const std::string& setting, const PublishedRow& row,
                                 const std::string& machine, std::vector<std::string> overrides,
                                 const std::function<bool()>& keep_going) {
  overrides.push_back(setting);
  try {
    return measure(row, machine, overrides, keep_going).model;
  } catch (const config::ConfigError&) {
    return {};
  }
}

}  // namespace

Variants variants_of(const std::string& key, const std::string& machine,
                     const std::vector<std::string>& overrides) {
  const std::vector<config::Setting> settings = config::read_machine(machine, overrides).settings;
  const auto found = std::ranges::find(settings, key, &config::Setting::key);
  if (found == settings.end()) {
    std::vector<std::string_view> keys{"assumptions"};
    for (const config::Setting& setting : settings) keys.push_back(setting.key);
    throw config::ConfigError(
        {fmt::format("--sensitivity: '{}' is not a key of {}; tcsim machine show {} lists them{}",
                     key, machine, machine, files::did_you_mean(key, keys))});
  }
  const auto number = config::read_number(found->value, "");
  if (found->is_text || !number.value)
    throw config::ConfigError(
        {fmt::format("--sensitivity: {} is '{}', not a number", key, found->value)});
  return {found->value, found->source, scaled(*found, *number.value, 0.5),
          scaled(*found, *number.value, 2)};
}

std::vector<std::string> assumed_keys(const std::string& machine,
                                      const std::vector<std::string>& overrides) {
  std::vector<std::string> keys;
  for (const config::Setting& setting : config::read_machine(machine, overrides).settings) {
    const auto number = config::read_number(setting.value, "");
    const bool is_number = !setting.is_text && number.value && *number.value != 0;
    if (is_number && setting.source.starts_with("assumption")) keys.push_back(setting.key);
  }
  return keys;
}

KeyVariation vary(const PublishedRow& row, const Variants& variants, const std::string& machine,
                  const std::vector<std::string>& overrides,
                  const std::function<bool()>& keep_going) {
  return {model_with(variants.halved, row, machine, overrides, keep_going),
          model_with(variants.doubled, row, machine, overrides, keep_going)};
}

}  // namespace tcsim::microbench
