#include "tests/gpu/key_walk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "models/isa/assemble.hpp"
#include "models/sm/params.hpp"
#include "sim/config/error.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/target.hpp"
#include "sim/gpu/occupancy.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/library/load.hpp"
#include "tests/sanitizers.hpp"
#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::gpu::test {
namespace {

/// Of one case, of processor time: what else runs does not matter. Under a sanitizer addresses say
/// nothing about memory, and everything takes longer.
constexpr rlim_t kMostSeconds = kHasAddressSanitizer ? 240 : 60;
constexpr rlim_t kMostBytes = rlim_t{3} << 30;
constexpr Cycle kMostCycles = 60'000'000;

/// Four SMs in two GPCs, four slices, four channels, an L2 that does not hold the works.
std::vector<std::string> small_machine() {
  return {"gpu.sms=4",       "gpu.sms_per_tpc=2", "gpu.sms_per_gpc=[2, 2]",  "l2.slices=4",
          "dram.channels=4", "l2.bytes=240 KiB",  "sm.residency.max_ctas=16"};
}

// --- The child: what it finds goes through a pipe, a line for each work.

struct Work {
  std::string name;
  double macs;  ///< on tensor cores; 0: none
  std::function<std::vector<isa::KernelLaunch>(const config::Machine&, std::string&)> make;
};

std::vector<isa::KernelLaunch> make_product(const config::Machine& machine, std::string& reason) {
  kernels::GemmProblem problem;
  problem.m = problem.n = 128;
  problem.k = 64;
  const kernels::Target target = config::make_target(machine, problem);
  if (kernels::gemm_tiles(problem, target).empty()) {
    reason = "no tile";
    return {};
  }
  return kernels::make_gemm_stream(problem, kernels::choose_tile(problem, target), target);
}

kernels::ConvProblem conv_problem() {
  kernels::ConvProblem problem;
  problem.h = problem.w = 10;
  problem.c = problem.k = 32;
  problem.r = problem.s = 3;
  problem.pad_h = problem.pad_w = 1;
  return problem;
}

std::vector<isa::KernelLaunch> make_convolution(const config::Machine& machine,
                                                std::string& reason) {
  const kernels::ConvProblem problem = conv_problem();
  const kernels::Target target =
      config::make_target(machine, {.input = problem.input, .unit = problem.unit});
  const auto plan = kernels::choose_conv(problem, target);
  if (!plan) {
    reason = "no plan";
    return {};
  }
  return kernels::make_conv_stream(problem, *plan, target);
}

kernels::AttentionProblem attention_problem() {
  kernels::AttentionProblem problem;
  problem.heads = problem.kv_heads = 2;
  problem.queries = problem.keys = 128;
  problem.dim = 64;
  return problem;
}

std::vector<isa::KernelLaunch> make_heads(const config::Machine& machine, std::string& reason) {
  const kernels::AttentionProblem problem = attention_problem();
  const kernels::Target target = config::make_target(machine, {.input = problem.element});
  reason = kernels::why_no_attention(problem, target);
  if (!reason.empty()) return {};
  return kernels::make_attention(problem, target);
}

std::vector<isa::KernelLaunch> make_softmax(const config::Machine& machine, std::string& reason) {
  kernels::VectorProblem problem;
  problem.rows = 64;
  problem.cols = 256;
  const kernels::Target target = config::make_target(machine, {.input = problem.element});
  reason = kernels::why_no_vector(problem, target);
  if (!reason.empty()) return {};
  return {kernels::make_vector(problem, target)};
}

std::vector<Work> works() {
  return {{"gemm", 128.0 * 128 * 64, make_product},
          {"conv", static_cast<double>(conv_problem().macs()), make_convolution},
          {"attention", kernels::attention_flop(attention_problem()) / 2, make_heads},
          {"softmax", 0, make_softmax}};
}

/// Sets control bits; false, with a reason, if the machine cannot run `launch`.
bool is_runnable(isa::KernelLaunch& launch, const config::Machine& machine, std::string& reason) {
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  for (const isa::WarpProgram& program : launch.programs) {
    for (const isa::Instruction& instruction : program.instructions) {
      if (timing[static_cast<std::size_t>(instruction.opcode)].supported()) continue;
      reason = fmt::format("no {}", isa::opcode_info(instruction.opcode).mnemonic);
      return false;
    }
  }
  if (occupancy(machine, launch).ctas_per_sm == 0) {
    reason = "does not fit";
    return false;
  }
  for (isa::WarpProgram& program : launch.programs) isa::assemble(program, timing);
  if (const auto errors = isa::validate(launch); !errors.empty())
    throw std::runtime_error("an invalid kernel: " + errors.front());
  return true;
}

const stats::Group& child_named(const stats::Group& group, const std::string& name) {
  const auto found = std::ranges::find(group.children(), name, &stats::Group::name);
  if (found == group.children().end()) throw std::runtime_error("no counters of " + name);
  return **found;
}

/// Every cycle has one reason.
Cycle reasons_of_first_sub_core(const stats::Group& root) {
  Cycle sum = 0;
  for (const stats::Counter* counter :
       child_named(child_named(root, "sm[0]"), "sub_core[0]").counters())
    if (std::string_view(counter->name()).starts_with("cycles_"))
      sum += static_cast<Cycle>(counter->value());
  return sum;
}

/// Why no machine has this result; empty if one may.
std::string implausible(const config::Machine& machine, const Work& work,
                        const Simulation& simulation, const Outcome& outcome) {
  if (outcome.stop == StopReason::kDeadlock) return "deadlock: " + outcome.diagnosis;
  if (outcome.stop != StopReason::kFinished) return "does not end";
  const auto peak = config::peak_rate(machine, "tensor", "fp16");
  if (work.macs > 0 && peak) {
    const double most =
        peak->macs_per_cycle_per_sm * machine.gpu.sms * static_cast<double>(outcome.cycles);
    // Winograd and the like save at most three quarters of the multiply-adds.
    const double least = work.name == "conv" ? work.macs / 4 : work.macs;
    if (least > most) return fmt::format("{:.1f} times the peak", least / most);
  }
  const Cycle sum = reasons_of_first_sub_core(simulation.counters());
  if (sum != outcome.cycles)
    return fmt::format("reasons of {} cycles in a run of {}", sum, outcome.cycles);
  return {};
}

std::string run_work(const Work& work, const config::Machine& machine) {
  std::string reason;
  std::vector<isa::KernelLaunch> launches = work.make(machine, reason);
  if (launches.empty()) return fmt::format("none {} {}\n", work.name, reason);
  for (isa::KernelLaunch& launch : launches)
    if (!is_runnable(launch, machine, reason))
      return fmt::format("none {} {}\n", work.name, reason);
  Simulation simulation(machine, {.max_cycles = kMostCycles});
  const Outcome outcome = simulation.run(launches, {});
  const std::string fault = implausible(machine, work, simulation, outcome);
  if (!fault.empty()) return fmt::format("fault {} {}\n", work.name, fault);
  return fmt::format("ran {} {} {}\n", work.name, outcome.cycles,
                     static_cast<double>(outcome.cycles) / machine.clocks.sm_mhz);
}

std::vector<std::string> all_overrides(const WalkCase& walk) {
  std::vector<std::string> all = small_machine();
  all.insert(all.end(), walk.overrides.begin(), walk.overrides.end());
  return all;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ';');
  return text;
}

/// Writes what it finds, as soon as it knows it.
void child(const WalkCase& walk, const std::function<void(const std::string&)>& write) {
  try {
    const config::Machine machine = library::load_machine(walk.base, all_overrides(walk));
    for (const Work& work : works()) {
      write("begins " + work.name + " -\n");
      write(one_line(run_work(work, machine)).substr(0, 2000) + "\n");
    }
  } catch (const config::ConfigError& error) {
    write("refused - " + one_line(error.what()) + "\n");
  } catch (const std::exception& error) {
    write("fault - threw: " + one_line(error.what()) + "\n");
  }
}

// --- The parent.

void read_line(const std::string& line, std::string& begun, WalkResult& result) {
  std::istringstream words(line);
  std::string kind;
  std::string work;
  words >> kind >> work;
  std::string rest;
  if (kind == "begins") {
    begun = work;
  } else if (kind == "ran") {
    WalkRun& run = result.runs[work];
    run.ran = true;
    words >> run.cycles >> run.us;
  } else if (kind == "none") {
    std::getline(words >> std::ws, result.runs[work].reason);
  } else if (kind == "refused") {
    std::getline(words >> std::ws, result.refusal);
  } else if (kind == "fault") {
    std::getline(words >> std::ws, rest);
    result.fault += work + ": " + rest + " ";
  }
}

std::string number(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

/// Values of `key` that differ from `shipped`, which the base has.
std::vector<std::string> numbers_beside(double min, double max, double shipped, bool is_integer) {
  std::set<double> values{min, max, 1};
  if (is_integer) {
    values.insert({shipped - 1, shipped + 1});
  } else {
    values.insert({shipped * 0.9, shipped * 1.1});
  }
  std::vector<std::string> texts;
  for (const double value : values)
    if (value >= min && value <= max && value != shipped) texts.push_back(number(value));
  return texts;
}

/// The values that the walk gives to each key, by path.
std::map<std::string, std::vector<std::string>> values_of(const std::string& base) {
  const config::MachineFile file = library::read_machine(base, small_machine());
  std::map<std::string, std::vector<std::string>> values;
  for (const config::Setting& setting : file.settings) {
    const config::Key* const key = config::find_key(setting.key);
    // What acts on values alone is walked by tests/values.
    if (key == nullptr || key->descriptive() || key->read_by == "values") continue;
    std::vector<std::string>& texts = values[setting.key];
    const std::string_view kind = config::kind_name(*key);
    if (!key->words.empty()) {
      for (const std::string_view word : config::allowed_words(*key))
        if (word != setting.value) texts.emplace_back(word);
    } else if (kind == "list of integers") {
      for (const double value : {key->min, 1.0, key->max})
        texts.push_back(fmt::format("[{}]", number(value)));
    } else if (kind == "shape") {
      texts = {"1x1x1", "4x4x4", "8x4x16", "16x16x4", "2x2x64", "256x256x256"};
      std::erase(texts, setting.value);
    } else if (kind != "text" && kind != "list of texts") {
      texts = numbers_beside(key->min, key->max, std::stod(setting.value), kind != "number");
    }
  }
  for (const config::Setting& setting : file.settings) {
    if (!setting.key.starts_with(config::kInstructionsPath)) continue;
    for (const config::InstructionKey& key : config::instruction_keys())
      if (setting.key.ends_with(fmt::format(".{}", key.name)))
        values[setting.key] = numbers_beside(key.min, key.max, std::stod(setting.value), true);
  }
  return values;
}

/// A number of the range of `key`, its logarithm evenly spread.
std::string value_inside(const config::Key& key, std::mt19937& random) {
  const double least = std::max(key.min, key.max / 1e6);
  const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  const double value = least * std::pow(key.max / least, share);
  if (config::kind_name(key) == "number") return number(value);
  const std::string whole = number(std::clamp(std::round(value), key.min, key.max));
  if (config::kind_name(key) == "shape") return fmt::format("{0}x{0}x{0}", whole);
  return config::kind_name(key) == "list of integers" ? "[" + whole + "]" : whole;
}

}  // namespace

const std::vector<std::string>& walk_bases() {
  static const std::vector<std::string> bases{"v100", "a100", "h100"};
  return bases;
}

WalkResult run_walk_case(const WalkCase& walk) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no child");
  if (pid == 0) {
    ::close(ends[0]);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const rlimit time{kMostSeconds, kMostSeconds};
    ::setrlimit(RLIMIT_CPU, &time);
    const rlimit memory{kMostBytes, kMostBytes};
    if (!kHasAddressSanitizer) ::setrlimit(RLIMIT_AS, &memory);
    child(walk, [&ends](const std::string& text) {
      if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(1);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> piece{};
  for (ssize_t count = 0; (count = ::read(ends[0], piece.data(), piece.size())) > 0;)
    output.append(piece.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  WalkResult result;
  std::string begun = "check";
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) read_line(line, begun, result);
  if (WIFSIGNALED(status))
    result.fault += fmt::format("{}: signal {} ", begun, WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    result.fault += fmt::format("{}: status {} ", begun, WEXITSTATUS(status));
  return result;
}

std::vector<WalkCase> single_key_cases(const std::string& base) {
  std::vector<WalkCase> cases;
  for (const auto& [key, values] : values_of(base))
    for (const std::string& value : values) cases.push_back({base, {key}, {key + "=" + value}});
  return cases;
}

std::vector<WalkCase> random_cases(const std::string& base, std::size_t count, unsigned seed) {
  const auto values = values_of(base);
  std::vector<std::string> keys;
  for (const auto& [key, texts] : values)
    if (!texts.empty()) keys.push_back(key);
  std::mt19937 random(seed);
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  std::vector<WalkCase> cases;
  while (cases.size() < count) {
    WalkCase walk{base, {}, {}};
    const std::size_t size = 2 + below(2);
    while (walk.keys.size() < size) {
      const std::string& key = keys[below(keys.size())];
      if (std::ranges::find(walk.keys, key) != walk.keys.end()) continue;
      const std::vector<std::string>& texts = values.at(key);
      walk.keys.push_back(key);
      const config::Key* const row = config::find_key(key);
      const bool inside = row != nullptr && row->max > 0 && below(3) == 0;
      walk.overrides.push_back(key + "=" +
                               (inside ? value_inside(*row, random) : texts[below(texts.size())]));
    }
    cases.push_back(std::move(walk));
  }
  return cases;
}

std::string text_of(const WalkCase& walk) {
  return fmt::format("{} {}", walk.base, fmt::join(walk.overrides, " "));
}

}  // namespace tcsim::gpu::test
