#include "sim/microbench/programs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "sim/files/nearest.hpp"
#include "sim/microbench/measurements.hpp"
#include "workloads/microbench/operation_loop.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;

struct Parameter {
  std::string_view name;
  std::int64_t min;
  std::int64_t max;
  bool required = false;
};

struct Program {
  std::string_view name;  ///< empty: the name is an opcode's
  std::vector<Parameter> parameters;
  std::vector<std::string_view> units;
  Measurement (*make)(const Bench& bench);
};

constexpr std::int64_t kSmallestChase = std::int64_t{8} * 1024;
constexpr std::int64_t kSmallestSharedRead = std::int64_t{256} * 1024;  // the rounds of one CTA

/// Warpgroup products, which are tested by their mnemonics.
constexpr std::string_view kGroupProgram = "wgmma";

/// Parameters of a ring of stages: sizes of a k-tile and where it comes from.
std::vector<Parameter> ring_parameters() {
  return {{"stages", 2, 8},  {"n", 64, 256}, {"warpgroups", 1, 3},
          {"ctas", 1, 1024}, {"own", 0, 1},  {"l2", 0, 1}};
}

const std::vector<Program>& programs() {
  static const std::vector<Program> table{
      {"chase",
       {{"bytes", kSmallestChase, std::int64_t{1} << 32, true}, {"across", 0, 1}},
       {"cycles"},
       measure_chase},
      {"constants", {{"bytes", 256, isa::kConstantBytes, true}}, {"cycles"}, measure_constants},
      {"read",
       {{"bytes", std::int64_t{32} * 1024, std::int64_t{1} << 32, true}, {"private", 0, 1}},
       {"GB/s", "B/cycle/SM"},
       measure_read},
      {"cold_read",
       {{"bytes", std::int64_t{32} * 1024, std::int64_t{1} << 28, true},
        {"ctas", 1, 1024, true},
        {"warps", 1, 32},
        {"loads", 1, 16}},
       {"us"},
       measure_cold_read},
      {"stream",
       {{"reads", 0, 4}, {"writes", 0, 4}, {"warps", 1, 32}, {"ctas", 1, 32}},
       {"GB/s"},
       measure_stream},
      {"null", {{"ctas", 1, 1024}}, {"us"}, measure_null},
      {"boxes",
       {{"bytes", 1024, isa::TensorMap::kMostBoxBytes, true},
        {"group", 1, 4},
        {"places", 1, 16},
        {"warps", 1, 8},
        {"work", 0, 1024},
        {"ctas", 1, 1024},
        {"trips", 1, std::int64_t{1} << 20},
        {"footprint", std::int64_t{4} << 20, std::int64_t{1} << 32},
        {"pitch", 128, std::int64_t{16} * 1024},
        {"l2", 0, 1},
        {"overwritten", 0, 1}},
       {"ns", "us", "cycles", "GB/s"},
       measure_boxes},
      {"ring", ring_parameters(), {"cycles/k-tile"}, measure_ring},
      {"ring_copies", ring_parameters(), {"cycles/k-tile"}, measure_ring_copies},
      {"ring_products", ring_parameters(), {"cycles/k-tile"}, measure_ring_products},
      {"grid_barrier",
       {{"ctas", 1, 1024, true}, {"warps", 1, 32}},
       {"us", "cycles"},
       measure_grid_barrier},
      {"hand_over", {}, {"ns", "cycles"}, measure_hand_over},
      {"cluster_barrier",
       {{"size", 2, isa::kMostClusterCtas, true}},
       {"us", "cycles"},
       measure_cluster_barrier},
      {"cluster_loads",
       {{"size", 2, isa::kMostClusterCtas}, {"all", 0, 1}, {"warps", 1, 32}, {"bytes", 4, 16}},
       {"cycles", "cycles/hop", "B/cycle/SM"},
       measure_cluster_loads},
      {"cluster_stores",
       {{"size", 2, isa::kMostClusterCtas}, {"all", 0, 1}, {"warps", 1, 32}, {"bytes", 4, 16}},
       {"B/cycle/SM"},
       measure_cluster_stores},
      {"cluster_puts",
       {{"size", 2, isa::kMostClusterCtas}, {"all", 0, 1}, {"bytes", 16, std::int64_t{16} * 1024}},
       {"B/cycle/SM"},
       measure_cluster_puts},
      {"clusters", {{"size", 2, isa::kMostClusterCtas, true}}, {"clusters"}, count_clusters},
      {kGroupProgram,
       {{"per_group", 1, 32}, {"open", 0, 7}, {"warpgroups", 1, 4}, {"ctas", 0, 1}},
       {"cycles/instruction", "MAC/cycle/SM", "TFLOPS"},
       measure_group},
      {"",
       {{"warps", 1, 32}, {"ilp", 1, 8}, {"ctas", 1, 32}, {"stride", 0, 64}, {"rolled", 0, 1}},
       {"cycles", "cycles/instruction", "cycles/warp access", "MAC/cycle/SM", "TFLOPS"},
       measure_operation}};
  return table;
}

const Program& program_of(std::string_view name) {
  const std::optional<Opcode> opcode = isa::parse_opcode(name);
  if (opcode && isa::is_group_mma(*opcode)) name = kGroupProgram;
  const auto found =
      std::ranges::find_if(programs(), [name](const Program& p) { return p.name == name; });
  return found == programs().end() ? programs().back() : *found;
}

/// Of the programs that a test names by a word of their own.
std::vector<std::string_view> program_names() {
  std::vector<std::string_view> names;
  for (const Program& program : programs())
    if (!program.name.empty() && program.name != kGroupProgram) names.push_back(program.name);
  return names;
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names = program_names();
  for (int index = 0; index < isa::opcode_count(); ++index)
    names.push_back(isa::opcode_info(static_cast<Opcode>(index)).mnemonic);
  return names;
}

void check_parameters(const Program& program, const TestWords& test,
                      std::vector<std::string>& mistakes) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : program.parameters) names.push_back(parameter.name);
  for (const auto& [key, value] : test.parameters) {
    const auto found = std::ranges::find(program.parameters, key, &Parameter::name);
    if (found == program.parameters.end())
      mistakes.push_back(fmt::format("{} has no parameter '{}'{} (it has {})", test.program, key,
                                     files::did_you_mean(key, names), fmt::join(names, ", ")));
    else if (value < found->min || value > found->max)
      mistakes.push_back(
          fmt::format("{}={} is not within {} to {}", key, value, found->min, found->max));
  }
  for (const Parameter& parameter : program.parameters)
    if (parameter.required && !test.parameters.contains(parameter.name))
      mistakes.push_back(fmt::format("{} needs {}=...", test.program, parameter.name));
}

}  // namespace

std::vector<Opcode> operation_steps(std::string_view name) {
  if (name == "HMMA.884.F32.F32")
    return {Opcode::kHmma884F32Step0, Opcode::kHmma884F32Step1, Opcode::kHmma884F32Step2,
            Opcode::kHmma884F32Step3};
  if (name == "HMMA.884.F16.F16") return {Opcode::kHmma884F16Step0, Opcode::kHmma884F16Step1};
  const std::optional<Opcode> opcode = isa::parse_opcode(name);
  return opcode ? std::vector<Opcode>{*opcode} : std::vector<Opcode>{};
}

void check_program(const TestWords& test, std::vector<std::string>& mistakes) {
  const Program& program = program_of(test.program);
  const bool is_unknown = program.name.empty() && operation_steps(test.program).empty();
  if (is_unknown || test.program == kGroupProgram) {
    mistakes.push_back(fmt::format("'{}' is neither an instruction nor one of {}{}", test.program,
                                   fmt::join(program_names(), ", "),
                                   files::did_you_mean(test.program, known_names())));
    return;
  }
  if (program.name.empty() &&
      !std::ranges::all_of(operation_steps(test.program), can_be_repeated)) {
    mistakes.push_back(fmt::format("'{}' cannot be repeated by itself", test.program));
    return;
  }
  check_parameters(program, test, mistakes);
  if (operation_steps(ring_product(test)).empty())
    mistakes.push_back(fmt::format("n={}: there is no {}", test.value("n", 0), ring_product(test)));
  const std::int64_t bytes = test.value("bytes", 16);
  if ((test.program == "cluster_loads" || test.program == "cluster_stores") && bytes != 4 &&
      bytes != 16)
    mistakes.push_back(fmt::format("bytes={} is neither 4 nor 16", bytes));
  if (test.program == "cluster_puts" && !std::has_single_bit(static_cast<std::uint64_t>(bytes)))
    mistakes.push_back(fmt::format("bytes={} is not a power of two", bytes));
  if (test.program == "read" && test.value("private", 0) == 0 &&
      test.value("bytes", kSmallestSharedRead) < kSmallestSharedRead)
    mistakes.emplace_back("read of a shared buffer needs bytes=256KiB or more");
  if (test.program == "stream" && test.value("reads", 1) + test.value("writes", 0) == 0)
    mistakes.emplace_back("stream moves nothing with reads=0 writes=0");
}

std::string check_unit(const TestWords& test, const std::string& unit) {
  const Program& program = program_of(test.program);
  if (std::ranges::find(program.units, unit) == program.units.end())
    return fmt::format("'{}' is not a unit of {}: {}{}", unit, test.program,
                       fmt::join(program.units, ", "), files::did_you_mean(unit, program.units));
  const bool counts_macs = unit == "MAC/cycle/SM" || unit == "TFLOPS";
  if (counts_macs && macs_of(operation_steps(test.program)) == 0)
    return fmt::format("'{}': {} does not multiply and add", unit, test.program);
  return {};
}

Measurement make_measurement(const config::Machine& machine, const isa::TimingTable& timing,
                             const TestWords& test, const std::string& unit) {
  return program_of(test.program).make({machine, timing, test, unit});
}

}  // namespace tcsim::microbench
