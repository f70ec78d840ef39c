#include "sim/run/prepare/prepare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "models/isa/assemble.hpp"
#include "models/isa/assemble_recording.hpp"
#include "models/isa/opcode.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/sm/params.hpp"
#include "sim/config/inert_keys.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/peak.hpp"
#include "sim/errors/errors.hpp"
#include "sim/gpu/occupancy.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/run/prepare/attention.hpp"
#include "sim/run/prepare/conv.hpp"
#include "sim/run/prepare/gemm.hpp"
#include "sim/run/prepare/instruction_features.hpp"
#include "sim/run/prepare/memory_needs.hpp"
#include "sim/run/prepare/unit.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/number.hpp"
#include "workloads/kernels/kernel_name.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::run {
namespace {

/// Throws NotCovered if `launch` has more CTAs along an axis than any grid.
void require_grid(const isa::KernelLaunch& launch, const std::string& name) {
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis)
    if (launch.grid[axis] > isa::kLargestGrid[axis])
      throw NotCovered(fmt::format("{}: kernel {} has {} CTAs in {}, a grid has at most {}", name,
                                   launch.name, launch.grid[axis], "xyz"[axis],
                                   isa::kLargestGrid[axis]));
}

/// Throws NotCovered if `launch` has an instruction that the machine lacks or does not fit on an
/// SM.
void require_runnable(const isa::KernelLaunch& launch, const isa::TimingTable& timing,
                      const std::string& name, const config::Machine& machine) {
  const InstructionFeatures features(machine);
  for (const isa::WarpProgram& program : launch.programs) {
    for (const isa::Instruction& instruction : program.instructions) {
      // Recorded code is of the machine's instruction set, in the nearest classes of the models.
      const bool is_there =
          launch.recording != nullptr || features.allow(instruction.opcode, timing);
      if (is_there && timing[static_cast<std::size_t>(instruction.opcode)].supported()) continue;
      throw NotCovered(fmt::format("{}: kernel {} uses {}, which this machine does not have", name,
                                   launch.name, isa::opcode_info(instruction.opcode).mnemonic));
    }
  }
  const gpu::Occupancy occupancy = gpu::occupancy(machine, launch);
  if (occupancy.ctas_per_sm == 0) {
    throw NotCovered(fmt::format("{}: kernel {} does not fit on an SM (limit: {})", name,
                                 launch.name, occupancy.limit));
  }
  const std::int64_t clusters = gpu::resident_clusters(machine, launch);
  constexpr auto kMost = static_cast<std::int64_t>(memory::ClusterTable::kMostClusters);
  if (isa::uses_clusters(launch) &&
      std::min(clusters, launch.cta_count() / launch.cluster_size()) > kMost)
    throw NotCovered(fmt::format("{}: more than {} clusters of kernel {} would run at once", name,
                                 kMost, launch.name));
  if (clusters > 0) return;
  const int largest = machine.sm.cluster.largest;
  const std::string limit =
      largest < launch.cluster_size()
          ? (largest == 0 ? std::string("it has no clusters")
                          : fmt::format("its clusters have up to {}", largest))
          : "its largest GPC has " + text::counted(std::ranges::max(machine.gpu.sms_per_gpc), "SM");
  throw NotCovered(
      fmt::format("{}: kernel {} has clusters of {} CTAs, which this machine cannot place: {}",
                  name, launch.name, launch.cluster_size(), limit));
}

void assemble_all(PreparedRun& run, const std::string& name, const config::Machine& machine) {
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  for (isa::KernelLaunch& launch : run.launches) {
    require_grid(launch, name);
    require_runnable(launch, timing, name, machine);
    if (launch.recording != nullptr) {
      isa::assemble_recording(launch, timing);
    } else {
      for (isa::WarpProgram& program : launch.programs)
        if (!isa::is_assembled(program)) isa::assemble(program, timing);
    }
    const std::vector<std::string> errors = isa::validate(launch);
    if (!errors.empty())
      throw InternalError(fmt::format("kernel {}: {}", launch.name, fmt::join(errors, "; ")));
  }
}

std::vector<std::string> mnemonics_of(const std::vector<isa::Opcode>& opcodes) {
  std::vector<std::string> names;
  for (const isa::Opcode opcode : opcodes) names.emplace_back(isa::opcode_info(opcode).mnemonic);
  return names;
}

/// The rate that the fastest of the MMAs `used` can sustain, and what bounds it.
std::optional<report::AttainableRate> attainable(const config::Machine& machine,
                                                 const std::vector<isa::Opcode>& used) {
  std::optional<config::MmaInterval> fastest;
  for (const isa::Opcode opcode : used) {
    const auto interval = config::mma_interval(machine, opcode);
    if (interval && (!fastest || interval->sustained() > fastest->sustained())) fastest = interval;
  }
  if (!fastest) return {};
  constexpr double kMegahertzPerTera = 1e6;
  report::AttainableRate rate;
  rate.tflops = config::kOperationsPerMac * fastest->sustained() * machine.sm.sub_cores *
                machine.gpu.sms * machine.clocks.sm_mhz / kMegahertzPerTera;
  if (fastest->is_held()) rate.held_by = fastest->binding_text(fastest->rate_cycles);
  return rate;
}

std::string title_of(const traceg::RecordedStream& stream) {
  const std::string& first = stream.launches.front().name;
  const std::size_t more = stream.launches.size() - 1;
  return more == 0 ? "trace " + first : fmt::format("trace {} and {} more", first, more);
}

/// Throws UsageError if `options` choose what the instructions of a trace determine.
void refuse_choices(const PreparationOptions& options, const std::string& title) {
  refuse_tile(options, title);
  if (!options.unit.empty())
    throw mistake_in("unit", title + " has no unit to choose; its instructions determine it");
}

PreparedRun prepare_trace(const isa::KernelLaunch& launch, const PreparationOptions& options) {
  PreparedRun run;
  run.launches = {launch};
  run.inputs.workload_content = report::hash_text(trace::write_tct(launch));
  run.inputs.title = "trace " + launch.name;
  refuse_choices(options, run.inputs.title);
  run.inputs.unit = uses_tensor_cores(launch) ? "tensor" : "cuda-core";
  run.inputs.kernel_tiles = {""};
  return run;
}

/// The tile that the name of a recorded kernel tells; empty if it tells none.
std::string named_tile(const std::string& kernel) {
  std::string reason;
  const auto name = kernels::parse_kernel_name(kernel, reason);
  return name && name->use != kernels::NamedUse::kAttention ? name->tile_text() : "";
}

/// What a run does not take from the kernel's name that stands for its tile.
std::vector<std::string> name_notes(const std::string& tile, bool is_sparse) {
  std::string reason;
  const auto name = kernels::parse_kernel_name(tile, reason);
  if (!name) return {};
  std::vector<std::string> notes;
  if (name->sparse && !is_sparse)
    notes.emplace_back(
        "the named kernel has a 2:4 sparse A; this run uses its tile with a dense A");
  if (const std::string note = name->tile_note(); !note.empty()) notes.push_back(note);
  return notes;
}

PreparedRun prepare_recorded(const traceg::RecordedStream& stream,
                             const PreparationOptions& options, const config::Machine& machine) {
  PreparedRun run;
  run.launches = stream.launches;
  run.inputs.workload_content = stream.content;
  run.inputs.title = title_of(stream);
  refuse_choices(options, run.inputs.title);
  run.inputs.unit = "cuda-core";
  for (const isa::KernelLaunch& launch : run.launches) {
    if (launch.recording->sm_version() != sm_version_of(machine)) {
      throw NotCovered(fmt::format(
          "{}: kernel {} is recorded code for sm_{}, this machine runs sm_{}", options.machine,
          launch.name, launch.recording->sm_version(), sm_version_of(machine)));
    }
    if (uses_tensor_cores(launch)) run.inputs.unit = "tensor";
    run.inputs.kernel_tiles.push_back(named_tile(launch.name));
  }
  run.inputs.notes = stream.notes;
  return run;
}

/// The title of what a workload asks for.
struct Titles {
  const std::string& words;  ///< of the workload

  std::string operator()(const kernels::GemmProblem& problem) const { return gemm_title(problem); }
  std::string operator()(const workload::ConvWork& conv) const { return conv_title(conv.problem); }
  std::string operator()(const kernels::AttentionProblem& problem) const {
    return attention_title(problem);
  }
  std::string operator()(const kernels::VectorProblem& problem) const {
    return vector_title(problem);
  }
  std::string operator()(const kernels::PoolProblem& problem) const { return pool_title(problem); }
  std::string operator()(const isa::KernelLaunch& launch) const { return "trace " + launch.name; }
  std::string operator()(const traceg::RecordedStream& stream) const { return title_of(stream); }
  std::string operator()(const workload::Unsupported&) const { return words; }
};

/// The kernels of what a workload asks for.
struct Lowering {
  const std::string& words;  ///< of the workload
  const PreparationOptions& options;
  const config::Machine& machine;

  PreparedRun operator()(const kernels::GemmProblem& problem) const {
    return prepare_gemm(problem, options, machine);
  }
  PreparedRun operator()(const workload::ConvWork& conv) const {
    return prepare_conv(conv, options, machine);
  }
  PreparedRun operator()(const kernels::AttentionProblem& problem) const {
    return prepare_attention(problem, options, machine);
  }
  PreparedRun operator()(const kernels::VectorProblem& problem) const {
    return prepare_vector(problem, options, machine);
  }
  PreparedRun operator()(const kernels::PoolProblem& problem) const {
    return prepare_pool(problem, options, machine);
  }
  PreparedRun operator()(const isa::KernelLaunch& launch) const {
    return prepare_trace(launch, options);
  }
  PreparedRun operator()(const traceg::RecordedStream& stream) const {
    return prepare_recorded(stream, options, machine);
  }
  PreparedRun operator()(const workload::Unsupported& unsupported) const {
    throw NotCovered(fmt::format("{}: {}", words, unsupported.reason));
  }
};

/// True if `workload` would run on tensor cores but for --unit cuda-core. Whatever its type, which
/// CUDA cores may widen: some kernels have no MMA with any unit.
bool could_use_tensor(const workload::Workload& workload, PreparationOptions options,
                      const config::Machine& machine) {
  if (options.unit != "cuda-core" || !options.unit_is_free) return false;
  options.unit = "tensor";
  try {
    const PreparedRun run = std::visit(Lowering{workload.text, options, machine}, workload.work);
    return std::ranges::any_of(run.launches, uses_tensor_cores);
  } catch (const NotCovered&) {
    return false;
  } catch (const RequestError&) {  // a tile of CUDA cores
    return false;
  }
}

/// RemedyInputs::swizzled_tile. The algorithm of a convolution precedes its tile; CUDA cores have
/// no swizzle.
std::string swizzled_tile(const report::RunInputs& inputs) {
  constexpr std::string_view kNoSwizzle = "_noswizzle";
  const std::string tile = inputs.tile();
  if (inputs.unit != "tensor" || !tile.ends_with(kNoSwizzle)) return {};
  const std::size_t begin = tile.rfind(' ') + 1;
  return tile.substr(begin, tile.size() - kNoSwizzle.size() - begin);
}

bool multiplies(isa::Opcode opcode) { return isa::is_mma(opcode) || isa::is_group_mma(opcode); }

}  // namespace

std::vector<isa::Opcode> mmas_of(const std::vector<isa::KernelLaunch>& launches) {
  std::set<isa::Opcode> mmas;
  for (const isa::KernelLaunch& launch : launches)
    for (const isa::WarpProgram& program : launch.programs)
      for (const isa::Instruction& instruction : program.instructions)
        if (multiplies(instruction.opcode)) mmas.insert(instruction.opcode);
  return {mmas.begin(), mmas.end()};
}

bool uses_tensor_cores(const isa::KernelLaunch& launch) {
  return std::ranges::any_of(launch.programs, [&](const isa::WarpProgram& program) {
    return std::ranges::any_of(program.instructions, multiplies, &isa::Instruction::opcode);
  });
}

int sm_version_of(const config::Machine& machine) {
  std::string digits = machine.compute_capability;
  std::erase(digits, '.');
  const auto version = text::number_of<int>(digits);
  if (!version)
    throw NotCovered(fmt::format("{}: compute_capability '{}' names no instruction set",
                                 machine.name, machine.compute_capability));
  return *version;
}

std::string title_of(const workload::Workload& workload) {
  return std::visit(Titles{workload.text}, workload.work);
}

PreparedRun prepare_run(const workload::Workload& workload, const PreparationOptions& options,
                        const config::MachineFile& machine) {
  const config::Machine& params = machine.machine;
  require_addressable(workload.text, workload::operand_sizes(workload));
  PreparedRun run = std::visit(Lowering{workload.text, options, params}, workload.work);
  require_addressable(workload.text, run.launches);
  assemble_all(run, options.machine, params);
  run.inputs.machine = options.machine;
  run.inputs.workload = workload.text;
  run.inputs.effective_machine = config::canonical_text(machine);
  run.inputs.clock_mhz = params.clocks.sm_mhz;
  run.inputs.sms = params.gpu.sms;
  run.inputs.dram_peak_gb_per_s = config::dram_bandwidth(params).gb_per_s;
  run.inputs.dram_read_peak_gb_per_s = config::dram_read_bandwidth(params).gb_per_s;
  constexpr double kMegabytesPerGigabyte = 1000.0;
  run.inputs.shared_bytes_per_cycle = params.sm.l1.bytes_per_cycle;
  run.inputs.wavefront_bytes =
      params.sm.shared_memory.banks * params.sm.shared_memory.bank_width_bytes;
  run.inputs.minimum = report::minimum_traffic(run.launches);
  if (run.inputs.minimum) {
    run.inputs.minimum->read_bytes -= run.unused.read_bytes;
    run.inputs.minimum->write_bytes -= run.unused.write_bytes;
  }
  for (const isa::KernelLaunch& launch : run.launches)
    run.inputs.needs.push_back(report::needs_of(launch, params));
  if (run.gemm)
    run.inputs.needs.front().idle_ctas =
        kernels::idle_ctas(run.gemm->problem, run.gemm->tile, run.gemm->target);
  const std::vector<isa::Opcode> mmas = mmas_of(run.launches);
  run.inputs.card = report::machine_card(machine, mnemonics_of(mmas));
  if (run.inputs.unit == "tensor" && run.inputs.peak_tflops)
    run.inputs.attainable = attainable(params, mmas);
  run.inputs.remedies =
      report::remedies(params, {mmas, run.inputs.unit, could_use_tensor(workload, options, params),
                                swizzled_tile(run.inputs)});
  for (const auto& more :
       {config::inert_override_notes(machine, mmas), name_notes(options.tile, run.inputs.sparse)})
    std::ranges::copy(more, std::back_inserter(run.inputs.notes));
  run.inputs.l2_peak_bytes_per_cycle =
      config::l2_bandwidth(params).gb_per_s * kMegabytesPerGigabyte / params.clocks.sm_mhz;
  return run;
}

}  // namespace tcsim::run
