#include "tests/config/changed_machine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"

namespace tcsim::config {
namespace {

/// Settings that have to change together with a key for the machine to stay consistent.
const std::map<std::string, std::vector<std::string>>& companions() {
  static const std::vector<std::string> longer_lines{"sm.l1.line_bytes=256", "l2.line_bytes=256",
                                                     "sm.instruction_fetch.line_bytes=256",
                                                     "sm.l1.ways=16"};
  static const std::map<std::string, std::vector<std::string>> rows{
      {"architecture", {"architecture=hopper"}},
      {"numerics.base", {"numerics.base=hopper"}},
      {"gpu.sms", {"gpu.sms=92", "gpu.sms_per_gpc=[46, 46]"}},
      {"gpu.sms_per_gpc", {"gpu.sms_per_gpc=[54, 54]"}},
      {"sm.shared_memory.carveouts_bytes", {"sm.shared_memory.carveouts_bytes=[0, 164 KiB]"}},
      {"sm.shared_memory.max_bytes",
       {"sm.shared_memory.max_bytes=132 KiB", "sm.shared_memory.max_bytes_per_cta=64 KiB",
        "sm.shared_memory.carveouts_bytes=[0, 132 KiB]"}},
      {"sm.l1.sector_bytes", {"sm.l1.sector_bytes=64", "l2.sector_bytes=64"}},
      {"l2.sector_bytes", {"sm.l1.sector_bytes=64", "l2.sector_bytes=64"}},
      {"sm.l1.line_bytes", longer_lines},
      {"l2.line_bytes", longer_lines},
      {"sm.instruction_fetch.line_bytes", longer_lines},
      {"libraries", {"libraries=[cuda-cores]"}},
      {"sm.l1.bytes", {"sm.l1.bytes=184320"}},
      {"dram.channel_width_bits", {"dram.channel_width_bits=32"}},
      {"dram.burst_length_beats", {"dram.burst_length_beats=2"}},
      {"dram.t_ccd_s_clocks", {"dram.t_ccd_s_clocks=3"}},
      {"dram.row_hit_cap", {"dram.row_hit_cap=0"}},
      {"dram.write_high_watermark_percent", {"dram.write_high_watermark_percent=12"}},
      {"dram.write_low_watermark_percent", {"dram.write_low_watermark_percent=40"}},
      {"sm.tensor.cores_per_sub_core", {"sm.tensor.cores_per_sub_core=2"}},
      {"sm.tensor.core", {"sm.tensor.core=8x8x8"}},
      {"sm.tensor.fp8_macs", {"sm.tensor.products.fp8=2", "sm.tensor.fp8_macs=512"}},
      {"sm.tensor.organisation",
       {"sm.tensor.organisation=weight_stationary", "sm.tensor.fill_cycles=8",
        "sm.tensor.drain_cycles=8"}},
      {"sm.tensor.least_interval_cycles", {"sm.tensor.least_interval_cycles=16"}},
      {"sm.tensor.sparse_least_interval_cycles", {"sm.tensor.sparse_least_interval_cycles=16"}},
      {"sm.tensor.sparse_speedup", {"sm.tensor.sparse_speedup=4"}},
      {"l2.partitions", {"l2.partitions=1"}},
      {"clocks.tensor_boost_mhz", {"clocks.tensor_boost_mhz=1200"}},
      {"descriptive.measured_as", {"descriptive.measured_as=[A100, A30]"}},
  };
  return rows;
}

/// `second` after those of `first` that set other keys.
std::vector<std::string> joined(const std::vector<std::string>& first,
                                const std::vector<std::string>& second) {
  const auto key_of = [](const std::string& setting) {
    return setting.substr(0, setting.find('='));
  };
  std::vector<std::string> all;
  for (const std::string& setting : first) {
    const bool again = std::any_of(second.begin(), second.end(), [&](const std::string& other) {
      return key_of(other) == key_of(setting);
    });
    if (!again) all.push_back(setting);
  }
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// Values that may replace `setting`, the gentlest first.
std::vector<std::string> other_values(const Key& key, const Setting& setting) {
  if (!key.words.empty()) {
    for (const std::string_view word : allowed_words(key))
      if (word != setting.value) return {std::string(word)};
  }
  if (setting.value == kDerived) return {fmt::format("{}", key.max)};
  if (setting.is_text) return {setting.value + "x"};
  const double value = std::stod(setting.value);
  return {fmt::format("{}", value == 0 ? 1 : value / 2), fmt::format("{}", value - 1),
          fmt::format("{}", value * 2)};
}

}  // namespace

MachineFile changed_a100(const Key& key, const Setting& setting,
                         const std::vector<std::string>& overrides) {
  const std::string path(key.path);
  if (const auto found = companions().find(path); found != companions().end())
    return read_machine("a100", joined(overrides, found->second));
  std::string reasons;
  for (const std::string& value : other_values(key, setting)) {
    try {
      return read_machine("a100", joined(overrides, {path + "=" + value}));
    } catch (const ConfigError& error) {
      reasons += error.what();
    }
  }
  throw std::runtime_error("no other value of " + path + " is accepted: " + reasons);
}

}  // namespace tcsim::config
