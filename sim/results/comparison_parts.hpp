#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/section.hpp"

namespace tcsim::results {

// What comparisons of single runs and of networks share.

/// Keys and values that decide a run.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Adds the lines "key value" of an effective machine.
void add_machine(const std::string& effective, Settings& settings);

/// Adds how exactly the time of sampled `results` was asked for; files of before lack it.
void add_sampling(const View& results, Settings& settings);

/// The settings in which the runs called `names` differ.
Section settings_section(const std::vector<std::string>& names,
                         const std::vector<Settings>& settings);

/// Adds to `section` that the run called `name` did not end, if its `results` say so.
void tell_stop(const std::string& name, const View& results, Section& section);

/// "+4.2 %", or "-" where there is nothing to divide.
std::string change_text(std::optional<double> before, std::optional<double> after);

/// `metrics` of the runs called `names`, those that some of them have, as their files hold them.
Section metrics_section(const std::vector<std::string>& names, const std::vector<View>& metrics);

/// The time of a run and the parts that add up to it.
struct TimeOf {
  std::string name;
  double time_us = 0;
  std::vector<std::pair<std::string, double>> parts;  ///< us, by label
};

/// "b takes 1.2 ms less than a: 1.300 times as fast."
std::string speed_sentence(const TimeOf& first, const TimeOf& other);

/// Parts of two times and of their difference, the largest difference first. Parts that are zero in
/// both are left out.
Table attribution_table(const std::string& what, const TimeOf& first, const TimeOf& other);

}  // namespace tcsim::results
