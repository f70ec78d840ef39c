#pragma once

#include <string>
#include <vector>

#include "models/dram/params.hpp"
#include "models/energy/params.hpp"
#include "models/memory/params.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "models/sm/params.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::config {

/// What identifies the product. No result depends on it.
struct DescriptiveParams {
  std::string board;
  std::string memory_type;
  double memory_gb;
  double tdp_w;
  int process_nm;
  int full_die_sms;
  int base_mhz;
  /// Names of the board in tables of measurements. If a name means another board that this file
  /// almost describes, the changes follow it: "V100-PCIE clocks.sm_mhz=1380".
  std::vector<std::string> measured_as;
};

struct ChipParams {
  int sms;
  int sms_per_tpc;
  std::vector<int> sms_per_gpc;  ///< one entry per GPC; adds up to `sms`
};

struct ClockParams {
  int sm_mhz;            ///< boost, or the lower clock at which a run settles
  int tensor_boost_mhz;  ///< clock of the published tensor peaks except FP64; 0: sm_mhz.
                         ///< Only `peak` reads it
  int l2_mhz;            ///< L2 and network
  int memory_mhz;        ///< two data beats per clock
  int boost_mhz = 0;     ///< not a key: boost if sm_mhz is below it; 0: sm_mhz

  int boost() const { return boost_mhz > 0 ? boost_mhz : sm_mhz; }
};

struct LaunchParams {
  double
      overhead_us;  ///< from the launch reaching the GPU to the first CTA, plus the end of the grid
  int cta_release_cycles;  ///< end of a CTA until the scheduler counts its slot as free, SM cycles
  int cta_dispatch_interval_cycles;  ///< CTA to CTA in the chip's scheduler, SM cycles
  int cta_start_cycles;              ///< dispatch to first instruction, SM cycles
  std::string cta_placement;         ///< a name of dispatch::CtaPlacements
};

/// How GPUs of one node are connected, for the model of their collective operations
/// (networks::collective_time). None of this is simulated.
struct LinkParams {
  int links;             ///< NVLinks of the board; 0: none
  double link_gb_per_s;  ///< that a collective operation moves over one, each way
  int most_gpus;         ///< that can be joined
  double start_us;       ///< of an operation in words with flags
  double hop_us;         ///< of each of its steps
  double line_start_us;  ///< of an operation in lines of 128 B with flags; 0: there is none
  double line_hop_us;
  double bulk_start_us;  ///< of an operation in bulk
  double bulk_hop_us;
  double switch_us;  ///< of an operation that the switch carries out; 0: there is none
};

/// Instruction-set features that kernels use, each "present" or "absent" (kernels::Features).
struct FeatureParams {
  std::string packed_half;
  std::string uniform_datapath;
  std::string packed_conversion;
  std::string async_copy;
};

/// Changes in the arithmetic of the tensor cores (numerics::TensorArithmetic).
struct NumericsParams {
  std::string base;  ///< a generation, or "architecture"
  numerics::FormatChanges fp16;
  numerics::FormatChanges bf16;
  numerics::FormatChanges tf32;
  numerics::FormatChanges fp8;
  std::string fp32_rounding;
  std::string fp16_rounding;
  std::string block_order;
  std::string subnormals;
};

/// A machine as the file describes it; the file states the source of every figure.
struct Machine {
  std::string name;
  std::string description;
  std::string chip;
  std::string architecture;  ///< pascal, volta, turing, ampere, hopper: selects the arithmetic
  std::string compute_capability;
  FeatureParams features;
  NumericsParams numerics;
  std::vector<std::string> libraries;  ///< names or files, in the order in which they are searched
  DescriptiveParams descriptive;
  ChipParams gpu;
  ClockParams clocks;
  sm::SmParams sm;
  memory::NocParams noc;
  memory::TlbParams tlb;
  memory::L2Params l2;
  dram::DramParams dram;
  LaunchParams launch;
  LinkParams nvlink;
  energy::EnergyParams energy;
  kernels::Libraries kernel_libraries;  ///< read from `libraries` by sim/library; not a key
};

}  // namespace tcsim::config
