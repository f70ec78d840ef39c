#pragma once

#include <optional>

#include "sim/config/machine.hpp"

namespace tcsim::area {

/// Areas of units on the process of a chip. A proxy for comparing designs, not a floor plan;
/// docs/sweeps.md lists what it leaves out.
struct UnitAreas {
  double sm_logic_mm2 = 0;      ///< an SM without tensor cores, L1, shared memory and registers
  double tensor_gate_mm2 = 0;   ///< one gate equivalent of a tensor core (Cells)
  double tensor_fma_mm2 = 0;    ///< one FP16 multiply-add per cycle of the chip's own tensor cores
  double cache_mib_mm2 = 0;     ///< a MiB of L2, L1, shared memory or registers
  double dram_channel_mm2 = 0;  ///< interface and controller
  double rest_mm2 = 0;          ///< the rest of the published die
};

/// Nothing for a machine whose `chip` is not one of GP100, GV100, TU104, GA100, GH100.
std::optional<UnitAreas> unit_areas(const config::Machine& machine);

/// The tensor cores of one SM of `machine`, from the number of cells that its cores would have.
double tensor_cores_mm2(const UnitAreas& units, const config::Machine& machine);

/// MiB of L1 with shared memory, and of registers, of one SM of `machine`.
double sm_cache_mib(const config::Machine& machine);

/// One SM of `machine`: logic, tensor cores, L1 with shared memory, registers.
double sm_mm2(const UnitAreas& units, const config::Machine& machine);

/// A die with the units of `machine` and no spares. For the full chip the result is its published
/// area. Clocks, widths, latencies and queues do not count.
std::optional<double> area_mm2(const config::Machine& machine);

}  // namespace tcsim::area
