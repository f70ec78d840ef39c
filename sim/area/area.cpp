#include "sim/area/area.hpp"

#include "sim/area/chips.hpp"
#include "sim/area/core_cells.hpp"

namespace tcsim::area {
namespace {

// Measured on die photographs at 12 nm (Qesa, reported by Hardwareluxx and TechPowerUp in 2019): a
// TPC of two SMs of TU116 8.94 mm2; the 16 tensor cores of a TPC of TU106 1.25.
constexpr double kSmAt12Nm = 8.94 / 2;
constexpr double kTensorCoreAt12Nm = 1.25 / 16;
constexpr double kSmCacheMib = (96.0 + 256.0) / 1024;  // WP-TU: L1 with shared memory, registers

// AMD at ISSCC 2022: 64 MiB of cache with tags on a die of 41 mm2 in 7 nm, so that the bit cells of
// 0.027 um2 take 0.35 of it. assumption: as much on other processes and in an SM.
constexpr double kBitsPerMib = 8.0 * 1024 * 1024;
constexpr double kCellShare = 0.027e-6 * kBitsPerMib * 64 / 41;

double cache_mib_mm2(const Process& process) {
  return process.bit_cell_um2 * 1e-6 * kBitsPerMib / kCellShare;
}

double mib(double bytes) { return bytes / (1024.0 * 1024.0); }

}  // namespace

std::optional<UnitAreas> unit_areas(const config::Machine& machine) {
  const Chip* chip = find_chip(machine.chip);
  if (chip == nullptr) return {};
  const Process& process = *find_process(chip->process_nm);
  const Process& measured = *find_process(12);
  const CoreDesign core = core_of(*chip).value_or(measured_core());
  const double core_gates = core_cells(core).gate_equivalents();
  UnitAreas units;
  units.sm_logic_mm2 = (kSmAt12Nm - kSmCacheMib * cache_mib_mm2(measured)) * process.logic_scale;
  units.tensor_gate_mm2 =
      kTensorCoreAt12Nm / core_cells(measured_core()).gate_equivalents() * process.logic_scale;
  units.tensor_fma_mm2 =
      core_gates * units.tensor_gate_mm2 / (core.rows * core.columns * core.products());
  units.cache_mib_mm2 = cache_mib_mm2(process);
  units.dram_channel_mm2 = chip->channel_mm2;
  constexpr double kRegisterKib = 256;  // all of these chips
  const double sm = units.sm_logic_mm2 +
                    chip->tensor_cores_per_sm * core_gates * units.tensor_gate_mm2 +
                    (chip->l1_kib + kRegisterKib) / 1024 * units.cache_mib_mm2;
  units.rest_mm2 = chip->die_mm2 - chip->sms * sm - chip->l2_mib * units.cache_mib_mm2 -
                   chip->dram_channels * units.dram_channel_mm2;
  return units;
}

double tensor_cores_mm2(const UnitAreas& units, const config::Machine& machine) {
  const std::optional<CoreDesign> core = core_design(machine);
  if (!core) return 0;
  const sm::TensorParams& tensor = machine.sm.tensor;
  // A given rate stands for that many cores of the shape.
  const double shaped = static_cast<double>(tensor.core.macs()) * tensor.products.fp16;
  const double share = tensor.fp16_macs && shaped > 0 ? *tensor.fp16_macs / shaped : 1;
  return machine.sm.sub_cores * tensor.cores_per_sub_core * share *
         core_cells(*core).gate_equivalents() * units.tensor_gate_mm2;
}

double sm_cache_mib(const config::Machine& machine) {
  constexpr double kBytesPerRegister = 4;
  return mib(static_cast<double>(machine.sm.l1.bytes) +
             kBytesPerRegister * machine.sm.residency.registers);
}

double sm_mm2(const UnitAreas& units, const config::Machine& machine) {
  return units.sm_logic_mm2 + tensor_cores_mm2(units, machine) +
         sm_cache_mib(machine) * units.cache_mib_mm2;
}

std::optional<double> area_mm2(const config::Machine& machine) {
  const auto units = unit_areas(machine);
  if (!units) return {};
  return units->rest_mm2 + machine.gpu.sms * sm_mm2(*units, machine) +
         mib(static_cast<double>(machine.l2.bytes)) * units->cache_mib_mm2 +
         machine.dram.channels * units->dram_channel_mm2;
}

}  // namespace tcsim::area
