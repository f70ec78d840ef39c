#include "sim/config/peak.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/number.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::config {
namespace {

std::string ghz(int mhz) { return number_text(mhz / 1000.0) + " GHz"; }

/// Four digits, as a table prints them.
std::string rounded(double value) {
  const int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

/// What is printed of the rates of tensor cores, in this order.
struct TensorRow {
  const char* dtype;
  const char* accumulate;
};

constexpr TensorRow kTensorRows[] = {
    {"fp16", "fp32"},  {"fp16", "fp16"},  {"bf16", "fp32"}, {"tf32", "fp32"}, {"fp8", "fp32"},
    {"int8", "int32"}, {"int4", "int32"}, {"b1", "int32"},  {"fp64", "fp64"},
};

struct LaneType {
  const char* dtype;
  const char* accumulate;
  int sm::PipeParams::*lanes;
  int macs_per_lane;
  const char* text;  ///< what a lane does per cycle
};

constexpr LaneType kLaneTypes[] = {
    {"fp32", "fp32", &sm::PipeParams::fp32_lanes, 1, "FP32 lanes"},
    {"fp16", "fp16", &sm::PipeParams::half2_lanes, 2, "packed-FP16 lanes x 2 FMA"},
    {"bf16", "bf16", &sm::PipeParams::bf16x2_lanes, 2, "packed-BF16 lanes x 2 FMA"},
    {"fp64", "fp64", &sm::PipeParams::fp64_lanes, 1, "FP64 lanes"},
    {"int8", "int32", &sm::PipeParams::dp4a_lanes, 4, "DP4A lanes x 4 MAC"},
};

int tensor_clock(const Machine& machine, bool at_tensor_boost) {
  const ClockParams& clocks = machine.clocks;
  if (!at_tensor_boost || clocks.tensor_boost_mhz == 0) return clocks.sm_mhz;
  return std::min(clocks.sm_mhz, clocks.tensor_boost_mhz);
}

void finish(PeakRate& rate, const Machine& machine, const std::string& factors) {
  rate.tera_ops_per_s =
      machine.gpu.sms * rate.macs_per_cycle_per_sm * kOperationsPerMac * rate.clock_mhz / 1e6;
  rate.formula =
      fmt::format("{} x {} x 2 x {} = {} {}", text::counted(machine.gpu.sms, "SM"), factors,
                  ghz(rate.clock_mhz), rounded(*rate.tera_ops_per_s), rate.measure());
}

PeakRate tensor_rate(const Machine& machine, const TensorRow& row, bool sparse) {
  const sm::TensorParams& tensor = machine.sm.tensor;
  const sm::TensorType& type = *sm::tensor_type(row.dtype);
  PeakRate rate{"tensor", row.dtype, row.accumulate, sparse, {}, 0, 0, {}};
  const bool at_tensor_boost =
      type.input != isa::MmaInput::kFp64;  // WP-H100 states FP64 at the SM clock
  rate.clock_mhz = tensor_clock(machine, at_tensor_boost);
  const int cores = machine.sm.sub_cores * tensor.cores_per_sub_core;
  const int macs = sm::dense_macs(type, tensor);
  const bool supported =
      cores > 0 && macs > 0 && (!sparse || (type.has_sparse && tensor.sparse_speedup > 1));
  if (!supported) return rate;
  const int speedup = sparse ? tensor.sparse_speedup : 1;
  const int slowdown = rate.accumulate == "fp32" ? tensor.fp32_sum_slowdown : 1;
  rate.macs_per_cycle_per_sm = static_cast<double>(cores) * macs * speedup / slowdown;
  const bool floating = rate.measure() == "TFLOPS";
  finish(rate, machine,
         fmt::format("{} tensor cores x {} {}{}{}", cores, macs, floating ? "FMA" : "MAC",
                     sparse ? fmt::format(" x {} (2:4 sparse)", speedup) : "",
                     slowdown > 1 ? fmt::format(" / {} (FP32 sums)", slowdown) : ""));
  return rate;
}

PeakRate lane_rate(const Machine& machine, const LaneType& type) {
  PeakRate rate{"cuda-core", type.dtype, type.accumulate, false, {}, 0, 0, {}};
  rate.clock_mhz = machine.clocks.sm_mhz;
  const int lanes = machine.sm.pipes.*type.lanes;
  if (lanes == 0) return rate;
  rate.macs_per_cycle_per_sm = static_cast<double>(lanes) * type.macs_per_lane;
  finish(rate, machine, fmt::format("{} {}", lanes, type.text));
  return rate;
}

PeakBandwidth bandwidth(const char* level, double bytes_per_cycle, int mhz, std::string factors) {
  PeakBandwidth result{level, bytes_per_cycle, mhz, bytes_per_cycle * mhz / 1000, {}};
  result.formula =
      fmt::format("{} x {} = {} GB/s", std::move(factors), ghz(mhz), rounded(result.gb_per_s));
  return result;
}

/// Bytes per cycle that the response ports of `sms` SMs of one TPC take.
int tpc_read_bytes(const Machine& machine, int sms) {
  const int ports = sms * machine.noc.sm_read_bytes_per_cycle;
  const int shared = machine.noc.tpc_read_bytes_per_cycle;
  return shared > 0 ? std::min(shared, ports) : ports;
}

}  // namespace

bool counts_whole_numbers(std::string_view dtype) {
  return dtype.starts_with("int") || dtype.starts_with("uint") || dtype == "b1";
}

std::string PeakRate::measure() const { return counts_whole_numbers(dtype) ? "TOPS" : "TFLOPS"; }

PeakBandwidth dram_bandwidth(const Machine& machine) {
  const dram::DramParams& dram = machine.dram;
  return bandwidth(
      "dram", dram.channels * dram.channel_width_bits / 8.0 * 2, machine.clocks.memory_mhz,
      fmt::format("{} channels x {} bit / 8 x 2 beats", dram.channels, dram.channel_width_bits));
}

PeakBandwidth dram_read_bandwidth(const Machine& machine) {
  const dram::DramParams& dram = machine.dram;
  const int burst = dram.channel_width_bits * dram.burst_length_beats / 8;
  const int interval = ceil_div(burst, dram.return_bytes_per_cycle);
  const PeakBandwidth returned = bandwidth(
      "dram", static_cast<double>(dram.channels) * burst / interval, machine.clocks.l2_mhz,
      fmt::format("{} channels x {} B in {} cycles", dram.channels, burst, interval));
  const PeakBandwidth pins = dram_bandwidth(machine);
  return returned.gb_per_s < pins.gb_per_s ? returned : pins;
}

PeakBandwidth l2_bandwidth(const Machine& machine) {
  const memory::L2Params& l2 = machine.l2;
  return bandwidth("l2", static_cast<double>(l2.slices) * l2.bytes_per_cycle_per_slice,
                   machine.clocks.l2_mhz,
                   fmt::format("{} slices x {} B", l2.slices, l2.bytes_per_cycle_per_slice));
}

PeakBandwidth network_bandwidth(const Machine& machine) {
  const int tpc_sms = machine.gpu.sms_per_tpc;
  int bytes = 0;
  for (const int sms : machine.gpu.sms_per_gpc) {
    const int tpcs =
        sms / tpc_sms * tpc_read_bytes(machine, tpc_sms) + tpc_read_bytes(machine, sms % tpc_sms);
    bytes += std::min(machine.noc.gpc_read_bytes_per_cycle, tpcs);
  }
  return bandwidth("network", bytes, machine.clocks.l2_mhz,
                   fmt::format("{} GPCs, {} B in all", machine.gpu.sms_per_gpc.size(), bytes));
}

PeakBandwidth shared_bandwidth(const Machine& machine) {
  const sm::SharedMemoryParams& shared = machine.sm.shared_memory;
  const int bytes = std::min(shared.banks * shared.bank_width_bytes, machine.sm.l1.bytes_per_cycle);
  return bandwidth("shared", static_cast<double>(machine.gpu.sms) * bytes, machine.clocks.sm_mhz,
                   fmt::format("{} x {} B", text::counted(machine.gpu.sms, "SM"), bytes));
}

Peak peak(const Machine& machine) {
  Peak result;
  result.machine = machine.name;
  result.clock_mhz = machine.clocks.sm_mhz;
  for (const bool sparse : {false, true})
    for (const TensorRow& row : kTensorRows)
      result.rates.push_back(tensor_rate(machine, row, sparse));
  for (const LaneType& type : kLaneTypes) result.rates.push_back(lane_rate(machine, type));
  result.bandwidths = {dram_bandwidth(machine), l2_bandwidth(machine), network_bandwidth(machine),
                       shared_bandwidth(machine)};
  for (PeakRate& rate : result.rates) {
    const double giga_ops_per_s = rate.tera_ops_per_s.value_or(0) * 1000;
    rate.ops_per_dram_byte = giga_ops_per_s / result.bandwidths[0].gb_per_s;
    rate.ops_per_l2_byte = giga_ops_per_s / result.bandwidths[1].gb_per_s;
  }
  return result;
}

std::optional<PeakRate> peak_rate(const Machine& machine, const std::string& unit,
                                  const std::string& dtype, bool sparse,
                                  std::string_view accumulate) {
  std::optional<PeakRate> first;
  for (const PeakRate& rate : peak(machine).rates) {
    if (rate.unit != unit || rate.dtype != dtype || rate.sparse != sparse || !rate.tera_ops_per_s)
      continue;
    if (accumulate.empty() || rate.accumulate == accumulate) return rate;
    if (!first) first = rate;
  }
  return first;
}

}  // namespace tcsim::config
