#include "sim/core_rtl/core_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

#include "sim/core_rtl/rtl_files.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::core_rtl {
namespace {

using numerics::ElementType;

constexpr int kRegisterBits = 1024;

struct Parameter {
  std::string name;
  std::string value;
};
using Parameters = std::vector<Parameter>;

int largest(const CorePlan& plan, int (*of)(const CoreInstruction&)) {
  int most = 0;
  for (const CoreInstruction& instruction : plan.instructions)
    most = std::max(most, of(instruction));
  return most;
}

int row_bits(const CoreInstruction& of) {
  return of.instruction.shape.k * numerics::bits(of.instruction.a);
}

int sum_registers(const CoreInstruction& of) {
  return of.instruction.shape.m * of.instruction.shape.n * numerics::bits(of.instruction.c) /
         kRegisterBits;
}

int sum_registers(const CorePlan& plan) {
  return std::max(1, largest(plan, [](const CoreInstruction& of) { return sum_registers(of); }));
}

int count_bits(const CorePlan& plan) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(plan.blocks)));
}

/// Bits needed to distinguish `values` values, at least one.
int index_bits(int values) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(values - 1))));
}

std::string bit(bool value) { return value ? "1'b1" : "1'b0"; }

/// The index of the operation from `input` into `accumulator`, or -1.
int place_of(const CorePlan& plan, ElementType input, ElementType accumulator) {
  const auto found = std::ranges::find(plan.operations, rtl::Operation{input, accumulator});
  return found == plan.operations.end() ? -1 : static_cast<int>(found - plan.operations.begin());
}

/// Adds what the array needs to know about one input format.
void add_format(const CorePlan& plan, const std::string& name, int place, Parameters& parameters) {
  const bool has = place >= 0;
  const auto at = static_cast<std::size_t>(std::max(0, place));
  const numerics::BlockParams block = has ? plan.arithmetics[at].block : numerics::BlockParams{};
  const int products = has ? plan.pass_products[at] : 1;
  parameters.push_back({"Block" + name, std::to_string(has ? block.products : 1)});
  parameters.push_back({name == "Fp16" ? "Products" : name + "Products", std::to_string(products)});
  parameters.push_back(
      {"Grid" + name, std::to_string(has ? block.grid_fraction_bits : plan.grid_fraction_bits)});
}

/// Floors and kept digits of FP32 sums; a missing format uses those of another one.
void add_sums(const CorePlan& plan, const std::vector<std::pair<std::string, int>>& formats,
              Parameters& parameters) {
  int some = -1;
  for (const auto& [name, place] : formats) some = place >= 0 ? place : some;
  for (const auto& [name, place] : formats) {
    const int of = place >= 0 ? place : some;
    const numerics::BlockParams block =
        of >= 0 ? plan.arithmetics[static_cast<std::size_t>(of)].block : numerics::BlockParams{};
    const std::string floor = name == "Fp16" ? "Fp32" : name;  // FP16 into FP32
    parameters.push_back({"ExponentFloor" + floor, std::to_string(block.exponent_floor)});
    parameters.push_back({"Kept" + name, std::to_string(block.result.kept_fraction_bits)});
    if (name == "Fp16")
      parameters.push_back(
          {"NearestFp32", bit(block.result.mode == numerics::RoundingMode::kNearestEven)});
  }
}

/// The parameters of mma_array.
Parameters array_parameters(const CorePlan& plan) {
  using enum ElementType;
  const int fp16_into_fp32 = place_of(plan, kFp16, kFp32);
  const int fp16_into_fp16 = place_of(plan, kFp16, kFp16);
  const int fp16 = std::max(fp16_into_fp32, fp16_into_fp16);
  const int bf16 = place_of(plan, kBf16, kFp32);
  const int tf32 = place_of(plan, kTf32, kFp32);
  const int int8 = place_of(plan, kInt8, kInt32);
  const bool none = fp16 < 0 && bf16 < 0 && tf32 < 0;
  Parameters parameters{{"Rows", std::to_string(plan.tensor.core.m)},
                        {"Columns", std::to_string(plan.tensor.core.n)},
                        {"GridFractionBits", std::to_string(plan.grid_fraction_bits)},
                        {"Subnormals", bit(plan.arithmetic.subnormals)},
                        {"HasFp16", bit(fp16 >= 0 || none)},
                        {"HasBf16", bit(bf16 >= 0)},
                        {"HasTf32", bit(tf32 >= 0)},
                        {"HasInt8", bit(int8 >= 0)},
                        {"HasFp16Accumulator", bit(fp16_into_fp16 >= 0)}};
  add_format(plan, "Fp16", fp16, parameters);
  add_format(plan, "Bf16", bf16, parameters);
  add_format(plan, "Tf32", tf32, parameters);
  parameters.push_back(
      {"Int8Products",
       std::to_string(int8 >= 0 ? plan.pass_products[static_cast<std::size_t>(int8)] : 2)});
  add_sums(plan, {{"Fp16", fp16_into_fp32}, {"Bf16", bf16}, {"Tf32", tf32}}, parameters);
  const int some = std::max({fp16, bf16, tf32});
  if (some >= 0)
    parameters.push_back(
        {"UnderflowKeepsSign",
         bit(plan.arithmetics[static_cast<std::size_t>(some)].block.underflow_keeps_sign)});
  if (fp16_into_fp16 >= 0) {
    const auto& block = plan.arithmetics[static_cast<std::size_t>(fp16_into_fp16)].block;
    parameters.push_back({"ExponentFloorFp16", std::to_string(block.exponent_floor)});
    parameters.push_back(
        {"NearestFp16", bit(block.result.mode == numerics::RoundingMode::kNearestEven)});
  }
  return parameters;
}

int organisation_code(const std::string& organisation) {
  static constexpr std::string_view kNames[] = {"dot_product", "outer_product", "output_stationary",
                                                "weight_stationary"};
  return static_cast<int>(std::ranges::find(kNames, organisation) - std::begin(kNames));
}

/// One row of the table of warp_mma, field 0 first: mma_pkg.
std::vector<int> table_row(const CorePlan& plan, const CoreInstruction& of) {
  const sm::MmaDerivation& derived = of.derived;
  const auto place = static_cast<std::size_t>(std::ranges::find(plan.operations, of.operation) -
                                              plan.operations.begin());
  const bool integer = of.operation.input == ElementType::kInt8;
  const int block = integer ? derived.pass.k : plan.arithmetics[place].block.products;
  const int k = of.instruction.shape.k;
  const int last_k = k - (derived.blocks_k - 1) * derived.pass.k;
  const isa::OpcodeInfo& info = isa::opcode_info(of.opcode);
  const auto [reads_a, reads_b] = sm::operand_reads(of.opcode, plan.tensor);
  const int weights = derived.blocks_n * derived.blocks_k;
  return {rtl::format_code(of.operation.input),
          of.operation.accumulator == ElementType::kFp16 ? 1 : 0,
          of.instruction.shape.m,
          of.instruction.shape.n,
          row_bits(of),
          derived.pass.m,
          derived.pass.n,
          derived.pass.k * numerics::bits(of.operation.input),
          derived.blocks_m,
          derived.blocks_n,
          derived.blocks_k,
          derived.stationary,
          derived.streamed,
          (derived.pass.k + block - 1) / block,
          (last_k + block - 1) / block,
          info.src_registers[0],
          info.src_registers[1],
          reads_a,
          reads_b,
          derived.interval_cycles(),
          derived.cycles_per_pass,
          std::max(1, plan.tensor.cores_per_sub_core / weights)};
}

/// The rows of all instructions as one number, the first row lowest.
std::string table(const CorePlan& plan) {
  std::string fields;
  for (const CoreInstruction& instruction : plan.instructions)
    for (const int field : table_row(plan, instruction)) {
      std::string text = fmt::format("32'd{}", field);
      fields = fields.empty() ? std::move(text) : text + ", " + fields;
    }
  return "{" + fields + "}";
}

Parameters warp_parameters(const CorePlan& plan) {
  const sm::TensorParams& tensor = plan.tensor;
  const bool passing = tensor.organisation == "dot_product";
  const auto most = [&](int (*of)(const CoreInstruction&)) {
    return std::to_string(largest(plan, of));
  };
  Parameters parameters = array_parameters(plan);
  const Parameters own{
      {"PipelineDepth", std::to_string(tensor.pipeline_cycles)},
      {"OperandRowBits", std::to_string(plan.row_bits)},
      {"CountBits", std::to_string(count_bits(plan))},
      {"Organisation", std::to_string(organisation_code(tensor.organisation))},
      {"Cores", std::to_string(tensor.cores_per_sub_core)},
      {"Instructions", std::to_string(plan.instructions.size())},
      {"Table", table(plan)},
      {"MostM", most([](const CoreInstruction& of) { return of.instruction.shape.m; })},
      {"MostN", most([](const CoreInstruction& of) { return of.instruction.shape.n; })},
      {"MostRowBits", most([](const CoreInstruction& of) { return row_bits(of); })},
      {"MostBlocks",
       most([](const CoreInstruction& of) { return of.derived.blocks_m * of.derived.blocks_n; })},
      {"MostStationary", most([](const CoreInstruction& of) { return of.derived.stationary; })},
      {"MostSumRegisters", std::to_string(sum_registers(plan))},
      {"MostInterval",
       most([](const CoreInstruction& of) { return of.derived.interval_cycles(); })},
      {"Slots", std::to_string(plan.instruction_slots)},
      {"OperandRegisters", std::to_string(tensor.operand_registers_per_cycle)},
      {"FillCycles", std::to_string(passing ? 0 : tensor.fill_cycles)},
      {"DrainCycles", std::to_string(passing ? 0 : tensor.drain_cycles)},
      {"Buffers", std::to_string(std::min(2, tensor.stationary_buffers))},
      {"ForwardCycles",
       std::to_string(passing && tensor.forwarding == "absent" ? tensor.result_cycles : 0)},
      {"ResultCycles", std::to_string(tensor.result_cycles)}};
  parameters.insert(parameters.end(), own.begin(), own.end());
  return parameters;
}

Parameters parameters_of(const CorePlan& plan, CoreTop top) {
  if (top == CoreTop::kWarp) return warp_parameters(plan);
  Parameters parameters = array_parameters(plan);
  parameters.push_back({"CarrySave", bit(false)});
  parameters.push_back({"PipelineDepth", std::to_string(plan.full_depth())});
  return parameters;
}

/// The module around that of rtl/, with numbers instead of parameters.
std::string top_module(const CorePlan& plan, CoreTop top) {
  std::string text = fmt::format("module core_{} (\n", name_of(top));
  const std::vector<CorePort> ports = ports_of(plan, top);
  for (const CorePort& port : ports)
    text += fmt::format("  {} logic [{}:0] {}{}\n", port.input ? "input" : "output", port.bits - 1,
                        port.name, &port == &ports.back() ? ");" : ",");
  text += top == CoreTop::kArray ? "  mma_array #(\n" : "  warp_mma #(\n";
  const Parameters parameters = parameters_of(plan, top);
  for (const Parameter& parameter : parameters)
    text += fmt::format("    .{}({}){}\n", parameter.name, parameter.value,
                        &parameter == &parameters.back() ? "" : ",");
  const std::string_view tied = top == CoreTop::kArray ? ".mixed_fp8_i(1'b0), " : "";
  return text + fmt::format("  ) {} ({}.*);\nendmodule\n", name_of(top), tied);
}

std::string port_header(const CorePlan& plan, CoreTop top) {
  std::string text = "#define TCSIM_CORE_PORTS(PORT)";
  for (const CorePort& port : ports_of(plan, top)) text += fmt::format(" PORT({})", port.name);
  return text + "\n";
}

/// Excludes the registers that are read only in the comparison of an array.
std::string settings(CoreTop top) {
  std::string all(rtl_simulation());
  if (top == CoreTop::kArray) return all;
  std::string kept;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size() - 1) + 1;
    const std::string line = all.substr(at, end - at);
    if (line.find("-var \"") == std::string::npos || line.find("-var \"*_i\"") != std::string::npos)
      kept += line;
    at = end;
  }
  return kept;
}

}  // namespace

std::string name_of(CoreTop top) { return top == CoreTop::kArray ? "array" : "warp"; }

std::vector<CorePort> ports_of(const CorePlan& plan, CoreTop top) {
  if (top == CoreTop::kArray) {
    const int rows = plan.tensor.core.m;
    const int columns = plan.tensor.core.n;
    return {{"clk_i", 1, true},
            {"rst_ni", 1, true},
            {"valid_i", 1, true},
            {"ready_o", 1, false},
            {"tag_i", 8, true},
            {"format_i", 3, true},
            {"accumulate_fp16_i", 1, true},
            {"blocks_i", count_bits(plan), true},
            {"a_i", rows * plan.row_bits, true},
            {"b_i", columns * plan.row_bits, true},
            {"c_i", 32 * rows * columns, true},
            {"valid_o", 1, false},
            {"ready_i", 1, true},
            {"tag_o", 8, false},
            {"d_o", 32 * rows * columns, false}};
  }
  const int image = kRegisterBits * sum_registers(plan);
  return {{"clk_i", 1, true},
          {"rst_ni", 1, true},
          {"issue_valid_i", 1, true},
          {"issue_ready_o", 1, false},
          {"issue_op_i", index_bits(static_cast<int>(plan.instructions.size())), true},
          {"issue_tag_i", 8, true},
          {"c_i", image, true},
          {"operand_valid_i", 1, true},
          {"operand_i", kRegisterBits * plan.tensor.operand_registers_per_cycle, true},
          {"result_valid_o", 1, false},
          {"result_tag_o", 8, false},
          {"result_o", image, false}};
}

void take_modules(CorePlan& plan, const std::vector<std::string>& paths) {
  const std::vector<SourceFile> modules = rtl_sources();
  std::vector<std::string_view> names;
  for (const SourceFile& module : modules) names.emplace_back(module.name);
  for (const std::string& path : paths) {
    const std::string name = std::filesystem::path(path).filename().string();
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(fmt::format("--rtl: {}: a core has no file '{}' of rtl/{}", path, name,
                                   files::did_you_mean(name, names)));
    if (std::ranges::find(plan.own_modules, name, &SourceFile::name) != plan.own_modules.end())
      throw UsageError(fmt::format("--rtl: {}: there are two of '{}'", path, name));
    plan.own_modules.push_back({name, files::read_file(path, files::FileKind::kLab)});
  }
}

std::vector<SourceFile> sources_of(const CorePlan& plan, CoreTop top) {
  std::vector<SourceFile> files = rtl_sources();
  for (const SourceFile& own : plan.own_modules)
    std::ranges::find(files, own.name, &SourceFile::name)->text = own.text;
  files.push_back({fmt::format("core_{}.sv", name_of(top)), top_module(plan, top)});
  files.push_back({"core.vlt", settings(top)});
  files.push_back({"core_ports.h", port_header(plan, top)});
  files.push_back({"core_wrapper.cpp", std::string(core_wrapper())});
  return files;
}

}  // namespace tcsim::core_rtl
