#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"
#include "workloads/import/workload_size.hpp"

namespace tcsim::run {

/// The memory that `launches` touch, each byte once: buffers that overlap are one, under the name
/// of the largest; the largest first.
std::vector<workload::OperandSize> memory_needs(const std::vector<isa::KernelLaunch>& launches);

/// Throws NotCovered, with the sum spelled out, if `needs` are more than the model can address.
/// `what` stands in front: the machine or the workload.
void require_addressable(const std::string& what, const std::vector<workload::OperandSize>& needs);
/// The same for the places of the buffers: no two may be one physical address, none one of code.
void require_addressable(const std::string& what, const std::vector<isa::KernelLaunch>& launches);

/// True if `needs` are more than the memory of the board, descriptive.memory_gb.
[[nodiscard]] bool exceeds_capacity(const std::vector<workload::OperandSize>& needs,
                                    const config::Machine& machine);
/// Throws NotCovered with the sum of such `needs` spelled out. `way` is one more way out, "more
/// GPUs"; empty: there is none.
[[noreturn]] void refuse_capacity(const std::string& what,
                                  const std::vector<workload::OperandSize>& needs,
                                  const config::Machine& machine, const std::string& way = "");

}  // namespace tcsim::run
