#include "sim/cli/trace_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/isa/assemble.hpp"
#include "models/isa/name_text.hpp"
#include "sim/cli/table.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/layout.hpp"
#include "sim/text/counted.hpp"
#include "sim/timeline/recorder.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/instruction_counts.hpp"
#include "workloads/trace/program_lines.hpp"
#include "workloads/trace/tct_expression.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using trace::InstructionCounts;

std::vector<int> warps_of(const isa::KernelLaunch& launch, std::size_t program) {
  std::vector<int> warps;
  for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
    if (launch.program_of_warp[warp] == static_cast<int>(program)) warps.push_back(warp);
  }
  return warps;
}

InstructionCounts standing(const isa::WarpProgram& program) {
  InstructionCounts counts;
  for (const isa::Instruction& instruction : program.instructions) {
    ++counts.executed[static_cast<std::size_t>(instruction.opcode)];
  }
  return counts;
}

/// What the first warp of CTA 0 that runs `program` executes; nothing if no warp does.
InstructionCounts of_first_warp(const isa::KernelLaunch& launch, std::size_t program) {
  if (launch.recording != nullptr) return {};
  const std::vector<int> warps = warps_of(launch, program);
  if (warps.empty()) return {};
  isa::Bindings bindings{};
  bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warps.front();
  return trace::count_of_warp(launch, program, bindings);
}

/// What the whole grid executes. Throws NotCovered if that is more than can be counted.
InstructionCounts of_grid(const isa::KernelLaunch& launch) {
  InstructionCounts counts = trace::count_of_grid(launch);
  const trace::RequestedBytes bytes = trace::requested_bytes(counts);
  const std::int64_t most =
      std::max({counts.total(), counts.mma_macs(), bytes.global_read, bytes.global_written,
                bytes.shared_read, bytes.shared_written});
  if (most >= trace::kMostCounted)
    throw NotCovered(fmt::format("kernel {}: its work cannot be counted: {} or more", launch.name,
                                 report::with_thousands(trace::kMostCounted)));
  return counts;
}

Json counts_json(const InstructionCounts& counts) {
  Json json = Json::object();
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<isa::Opcode>(i);
    if (counts.of(opcode) > 0)
      json[std::string(isa::opcode_info(opcode).mnemonic)] = counts.of(opcode);
  }
  return json;
}

/// A line of a listing.
struct ListedLine {
  std::string address;   ///< "0x0130"; empty for a line without an instruction
  std::string recorded;  ///< address in the recorded code, if there is one
  int depth = 0;
  std::string text;
};

std::vector<ListedLine> recorded_listing(const isa::KernelLaunch& launch) {
  const std::vector<std::uint64_t>& addresses = launch.recording->addresses();
  std::vector<ListedLine> lines;
  for (const isa::Instruction& instruction : launch.programs.front().instructions) {
    const std::size_t i = lines.size();
    const bool is_in_code = addresses[i] != isa::Recording::kNoAddress;
    lines.push_back({isa::address_text(static_cast<int>(i)),
                     is_in_code ? fmt::format("0x{:04x}", addresses[i]) : "-", 0,
                     timeline::instruction_text(instruction)});
  }
  return lines;
}

/// Of program `index` of a canonical launch.
std::vector<ListedLine> listing(const isa::KernelLaunch& launch, int index) {
  if (launch.recording != nullptr) return recorded_listing(launch);
  std::vector<ListedLine> lines;
  for (const trace::ProgramLine& line : trace::program_lines(launch, index))
    lines.push_back({line.instruction == isa::kNoIndex ? "" : isa::address_text(line.instruction),
                     "", line.depth, line.text});
  return lines;
}

isa::KernelLaunch listed_form(const isa::KernelLaunch& launch) {
  return launch.recording != nullptr ? launch : trace::canonical(launch);
}

Json listing_json(const isa::KernelLaunch& launch, std::size_t index) {
  Json lines = Json::array();
  for (const ListedLine& line : listing(listed_form(launch), static_cast<int>(index))) {
    Json& row = lines.emplace_back();
    row["address"] = line.address.empty() ? Json() : Json(line.address);
    if (!line.recorded.empty()) row["recorded_address"] = line.recorded;
    row["text"] = line.text;
  }
  return lines;
}

Json program_json(const isa::KernelLaunch& launch, std::size_t index) {
  const isa::WarpProgram& program = launch.programs[index];
  Json loops = Json::array();
  for (const isa::Loop& loop : program.loops) {
    loops.push_back({{"depth", loop.depth},
                     {"trips", trace::expression_text(loop.trips)},
                     {"instructions", loop.last - loop.first + 1}});
  }
  return {{"name", program.name},
          {"warps", warps_of(launch, index)},
          {"assembled", isa::is_assembled(program)},
          {"instructions", program.instructions.size()},
          {"loops", loops},
          {"opcodes", counts_json(standing(program))},
          {"executed_by_first_warp", counts_json(of_first_warp(launch, index))}};
}

std::string program_text(const isa::KernelLaunch& launch, std::size_t index) {
  const isa::WarpProgram& program = launch.programs[index];
  if (launch.recording != nullptr) {
    return fmt::format(
        "\nrecorded: code of {} instructions for sm_{}, {} patterns of addresses\n",
        report::with_thousands(static_cast<std::int64_t>(program.instructions.size())),
        launch.recording->sm_version(), launch.recording->patterns().size());
  }
  std::string text = fmt::format(
      "\nprogram {}: {} instructions, {} of {} warps, {}\n", isa::name_text(program.name),
      report::with_thousands(static_cast<std::int64_t>(program.instructions.size())),
      warps_of(launch, index).size(), launch.warps_per_cta,
      isa::is_assembled(program) ? "assembled" : "without control bits");
  for (const isa::Loop& loop : program.loops) {
    text += fmt::format("{:{}}loop i{} < {}: {} instructions\n", "", 2 * (loop.depth + 1),
                        loop.depth, trace::expression_text(loop.trips), loop.last - loop.first + 1);
  }
  return text;
}

/// One row per opcode: how often it stands and runs per program, and in the `grid`.
Table opcode_table(const isa::KernelLaunch& launch, const InstructionCounts& grid) {
  std::vector<InstructionCounts> columns;
  Table table;
  table.columns = {"opcode"};
  for (std::size_t i = 0; i < launch.programs.size(); ++i) {
    const std::string suffix =
        launch.programs.size() > 1 ? " " + isa::name_text(launch.programs[i].name) : std::string();
    columns.push_back(standing(launch.programs[i]));
    table.columns.push_back("program" + suffix);
    if (launch.recording != nullptr) continue;
    columns.push_back(of_first_warp(launch, i));
    table.columns.push_back("first warp" + suffix);
  }
  columns.push_back(grid);
  table.columns.emplace_back("grid");
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<isa::Opcode>(i);
    std::vector<std::string> row{std::string(isa::opcode_info(opcode).mnemonic)};
    bool used = false;
    for (const InstructionCounts& counts : columns) {
      row.push_back(report::with_thousands(counts.of(opcode)));
      used = used || counts.of(opcode) > 0;
    }
    if (used) table.rows.push_back(std::move(row));
  }
  std::vector<std::string> totals{"total"};
  for (const InstructionCounts& counts : columns)
    totals.push_back(report::with_thousands(counts.total()));
  table.rows.push_back(std::move(totals));
  return table;
}

Json trace_info_value(const isa::KernelLaunch& launch, bool with_listing) {
  Json buffers = Json::array();
  for (const isa::Buffer& buffer : launch.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"input", buffer.input},
                       {"base_address", buffer.base_address},
                       {"bytes", buffer.bytes}});
  }
  Json programs = Json::array();
  for (std::size_t i = 0; i < launch.programs.size(); ++i) {
    programs.push_back(program_json(launch, i));
    if (with_listing) programs.back()["listing"] = listing_json(launch, i);
  }
  const InstructionCounts grid = of_grid(launch);
  const trace::RequestedBytes bytes = trace::requested_bytes(grid);
  Json json{{"kernel", launch.name},
            {"grid", launch.grid},
            {"ctas", launch.cta_count()},
            {"warps_per_cta", launch.warps_per_cta},
            {"registers_per_thread", launch.registers_per_thread},
            {"shared_bytes_per_cta", launch.shared_bytes_per_cta},
            {"buffers", buffers},
            {"programs", programs},
            {"instructions",
             {{"warp", grid.total()}, {"mma", grid.mma()}, {"mma_macs", grid.mma_macs()}}},
            {"executed_by_grid", counts_json(grid)},
            {"requested_bytes",
             {{"global_read", bytes.global_read},
              {"global_written", bytes.global_written},
              {"shared_read", bytes.shared_read},
              {"shared_written", bytes.shared_written}}}};
  if (launch.recording != nullptr) {
    json["recording"] = {{"sm_version", launch.recording->sm_version()},
                         {"patterns", launch.recording->patterns().size()}};
  }
  return json;
}

}  // namespace

std::string trace_info_text(const isa::KernelLaunch& launch) {
  std::string text = fmt::format("kernel {}\n", isa::name_text(launch.name));
  text +=
      fmt::format("grid {} x {} x {} = {} CTA{} of {}\n", launch.grid[0], launch.grid[1],
                  launch.grid[2], report::with_thousands(launch.cta_count()),
                  launch.cta_count() == 1 ? "" : "s", text::counted(launch.warps_per_cta, "warp"));
  text +=
      fmt::format("{} registers per thread, {} bytes of shared memory per CTA\n",
                  launch.registers_per_thread, report::with_thousands(launch.shared_bytes_per_cta));
  for (const isa::Buffer& buffer : launch.buffers) {
    text += fmt::format("buffer {}: {} bytes at {:#x}, {}\n", isa::name_text(buffer.name),
                        report::with_thousands(static_cast<std::int64_t>(buffer.bytes)),
                        buffer.base_address, buffer.input ? "input" : "output");
  }
  for (std::size_t i = 0; i < launch.programs.size(); ++i) text += program_text(launch, i);
  const InstructionCounts grid = of_grid(launch);
  const trace::RequestedBytes bytes = trace::requested_bytes(grid);
  text += "\n" + render(opcode_table(launch, grid), Format::kText);
  text += fmt::format("\nMMA instructions {}, multiply-adds {}\n",
                      report::with_thousands(grid.mma()), report::with_thousands(grid.mma_macs()));
  text += fmt::format(
      "bytes asked for with all lanes on: global {} read, {} written; shared {} read, {} "
      "written\n",
      report::with_thousands(bytes.global_read), report::with_thousands(bytes.global_written),
      report::with_thousands(bytes.shared_read), report::with_thousands(bytes.shared_written));
  return text;
}

std::string trace_listing_text(const isa::KernelLaunch& launch) {
  const isa::KernelLaunch listed = listed_form(launch);
  std::string text = fmt::format("kernel {}\n", isa::name_text(launch.name));
  for (std::size_t i = 0; i < listed.programs.size(); ++i) {
    const isa::WarpProgram& program = listed.programs[i];
    const bool is_recorded = listed.recording != nullptr;
    text += fmt::format("\n{}{}\n",
                        is_recorded
                            ? fmt::format("recorded code for sm_{}", listed.recording->sm_version())
                            : trace::program_heading(listed, static_cast<int>(i)),
                        is_recorded || isa::is_assembled(program) ? "" : ", without control bits");
    for (const ListedLine& line : listing(listed, static_cast<int>(i)))
      text += fmt::format("  {:8}{}{}{}\n", line.address,
                          is_recorded ? fmt::format("{:8}", line.recorded) : "",
                          std::string(2 * static_cast<std::size_t>(line.depth), ' '), line.text);
  }
  return text;
}

std::string trace_info_json(const std::vector<isa::KernelLaunch>& launches, bool with_listing) {
  Json kernels = Json::array();
  for (const isa::KernelLaunch& launch : launches)
    kernels.push_back(trace_info_value(launch, with_listing));
  return files::json_text(kernels.size() == 1 ? kernels.front() : kernels, 2) + "\n";
}

}  // namespace tcsim::cli
