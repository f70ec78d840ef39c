#pragma once

#include <optional>
#include <string_view>

#include "sim/area/core_design.hpp"

namespace tcsim::area {

/// A die as built, with every unit on it, including spares.
struct Chip {
  std::string_view name;  ///< `chip` of a machine file
  double die_mm2;
  int process_nm;
  int sms;
  double l2_mib;
  int dram_channels;  ///< as `dram.channels` counts them
  int tensor_cores_per_sm;
  double l1_kib;       ///< L1 and shared memory of an SM
  double channel_mm2;  ///< area of one DRAM channel
};

/// How a process scales the areas that were measured at 12 nm.
struct Process {
  int nm;
  double logic_scale;   ///< area of logic relative to 12 nm
  double bit_cell_um2;  ///< area of a high-density SRAM cell
};

/// Null for a chip, or a process, without known areas.
const Chip* find_chip(std::string_view name);
const Process* find_process(int nm);

/// The chip's tensor core; nothing for a chip without one. A test compares it with the machine
/// files.
std::optional<CoreDesign> core_of(const Chip& chip);

/// Turing's core, whose area was measured.
CoreDesign measured_core();

}  // namespace tcsim::area
