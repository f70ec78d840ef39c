#include "sim/report/facts.hpp"

#include <array>

#include "sim/report/run_record.hpp"

namespace tcsim::report {
namespace {

using Value = std::optional<double>;

/// A part of the energy inputs; nothing where the energy is not known.
template <auto part>
Value power(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  return inputs.power ? Value((*inputs.power).*part) : std::nullopt;
}

template <auto part>
Value energy(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  return inputs.power ? Value(inputs.power->energies.*part) : std::nullopt;
}

template <auto part>
Value input(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  return Value(inputs.*part);
}

Value cycles(const RunInputs& /*inputs*/, const gpu::Outcome& outcome) {
  return static_cast<double>(outcome.cycles);
}

/// Operations of an unfinished run are not known, so neither is its rate.
Value flop(const RunInputs& inputs, const gpu::Outcome& outcome) {
  return outcome.stop == gpu::StopReason::kFinished ? inputs.flop : std::nullopt;
}

/// The four bytes of a word that DP4A multiplies cost as one FP32 number (assumption).
Value vector_flop(const RunInputs& inputs, const gpu::Outcome& outcome) {
  constexpr double kBytesPerWord = 4;
  if (!inputs.power) return std::nullopt;
  if (inputs.unit == "tensor") return 0.0;
  if (outcome.stop != gpu::StopReason::kFinished) return std::nullopt;
  return inputs.flop.value_or(0.0) / (inputs.dtype == "int8" ? kBytesPerWord : 1.0);
}

Value minimum_read(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  return inputs.minimum ? Value(static_cast<double>(inputs.minimum->read_bytes)) : std::nullopt;
}

Value minimum_write(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  return inputs.minimum ? Value(static_cast<double>(inputs.minimum->write_bytes)) : std::nullopt;
}

Value attainable(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  return inputs.attainable ? Value(inputs.attainable->tflops) : std::nullopt;
}

/// One operand 2:4 sparse: the peak counts the zeros, the tensor cores do not.
Value tensor_macs_per_cycle(const RunInputs& inputs, const gpu::Outcome& /*outcome*/) {
  constexpr double kFlopPerMac = 2;
  if (inputs.unit != "tensor" || !inputs.peak_tflops) return std::nullopt;
  return *inputs.peak_tflops * 1e6 / inputs.clock_mhz / kFlopPerMac *
         (inputs.sparse ? kSparseShare : 1.0);
}

using energy::EventEnergies;

constexpr std::array kFacts{
    FactDefinition{
        "cycles", "cycles",
        "SM cycles from the first launch to the end of the last CTA and its last access, "
        "overhead included",
        cycles},
    FactDefinition{"clock_mhz", "MHz", "SM clock", input<&RunInputs::clock_mhz>},
    FactDefinition{"sms", "1", "Streaming multiprocessors", input<&RunInputs::sms>},
    FactDefinition{"flop", "FLOP",
                   "Useful operations of the workload: two per multiply-add of its definition, "
                   "those with the zeros around an image included, padding of tiles not",
                   flop},
    FactDefinition{"peak_tflops", "TFLOPS",
                   "Peak rate of the unit and number format that ran, at the SM clock",
                   input<&RunInputs::peak_tflops>},
    FactDefinition{"tensor_macs_per_cycle", "MAC/cycle",
                   "Multiply-adds that all tensor cores carry out in a cycle at that peak",
                   tensor_macs_per_cycle},
    FactDefinition{"attainable_tflops", "TFLOPS",
                   "Rate that the issue interval of the executed MMA instructions allows",
                   attainable},
    FactDefinition{"dram_peak_gb_per_s", "GB/s", "Peak bandwidth of DRAM, 1 GB = 10^9 B",
                   input<&RunInputs::dram_peak_gb_per_s>},
    FactDefinition{"l2_peak_bytes_per_cycle", "B/cycle",
                   "Data ports of all L2 slices, each way, per SM cycle",
                   input<&RunInputs::l2_peak_bytes_per_cycle>},
    FactDefinition{"shared_bytes_per_cycle", "B/cycle",
                   "Data path of shared memory and L1 of one SM",
                   input<&RunInputs::shared_bytes_per_cycle>},
    FactDefinition{"wavefront_bytes", "B", "Width of all banks of an SM's shared memory",
                   input<&RunInputs::wavefront_bytes>},
    FactDefinition{
        "minimum_read_bytes", "B",
        "What the operation needs of each input buffer, read once, except what an earlier "
        "kernel of the run wrote",
        minimum_read},
    FactDefinition{"minimum_write_bytes", "B",
                   "What the operation writes of each output buffer, written once; not what its "
                   "kernels only pass on to each other",
                   minimum_write},
    FactDefinition{"tensor_pj_per_flop", "pJ/FLOP", "Energy of an operation of the tensor cores",
                   energy<&EventEnergies::tensor_pj_per_flop>},
    FactDefinition{"vector_pj_per_flop", "pJ/FLOP", "Energy of an operation of the CUDA cores",
                   energy<&EventEnergies::vector_pj_per_flop>},
    FactDefinition{"l1_pj_per_byte", "pJ/B", "Energy of a byte through L1 and shared memory",
                   energy<&EventEnergies::l1_pj_per_byte>},
    FactDefinition{"l2_pj_per_byte", "pJ/B", "Energy of a byte between L2 and SMs",
                   energy<&EventEnergies::l2_pj_per_byte>},
    FactDefinition{"dram_pj_per_byte", "pJ/B", "Energy of a byte between DRAM and L2",
                   energy<&EventEnergies::dram_pj_per_byte>},
    FactDefinition{"constant_w", "W", "Power drawn regardless of the work",
                   power<&PowerInputs::constant_w>},
    FactDefinition{"vector_flop", "FLOP",
                   "Useful operations that ran on CUDA cores, four of INT8 as one", vector_flop},
};

}  // namespace

std::span<const FactDefinition> fact_definitions() { return kFacts; }

}  // namespace tcsim::report
