#include "sim/validate/gpu_names.hpp"

#include <fmt/core.h>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/measured_name.hpp"

namespace tcsim::validate {

GpuNames::GpuNames() {
  for (const std::string& machine : config::machine_names()) {
    const config::MachineFile file = config::read_machine(machine);
    for (const std::string& entry : file.machine.descriptive.measured_as) {
      const config::MeasuredName measured = config::parse_measured_name(entry);
      const auto added = models_.emplace(measured.name, GpuModel{machine, measured.overrides});
      if (!added.second)
        throw config::ConfigError(
            {fmt::format("{}: descriptive.measured_as: '{}' is also a name of {}", file.file,
                         measured.name, added.first->second.machine)});
    }
  }
}

std::optional<GpuModel> GpuNames::find(std::string_view name) const {
  if (only_) return only_;
  const auto found = models_.find(name);
  if (found == models_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tcsim::validate
