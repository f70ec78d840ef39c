#include "sim/cli/trace_command.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/table.hpp"
#include "sim/cli/trace_info.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/packed.hpp"
#include "sim/library/load.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/traceg/trace_writer.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::cli {
namespace {

struct EmitOptions {
  std::string workload;
  std::string machine;
  std::vector<std::string> overrides;
  std::string tile;
  std::string unit;
  std::optional<int> kernel;
  std::string form = "tct";
  std::string out = "-";
  bool force = false;
};

struct InfoOptions {
  std::string file;
  std::string machine;
  bool listing = false;
  std::string format = "text";
};

/// The kernels of a file: one, or those of a list.
std::vector<isa::KernelLaunch> load(const std::string& file) {
  if (!traceg::is_recording(file)) return {trace::load_tct(file)};
  traceg::RecordedStream stream = traceg::load_recording(file);
  if (!stream.not_covered.empty())
    throw NotCovered(fmt::format("{}: {}", file, stream.not_covered));
  for (const std::string& note : stream.notes) fmt::print(std::cerr, "{}\n", note);
  return std::move(stream.launches);
}

/// The same as a run on `machine` has them: assembled.
std::vector<isa::KernelLaunch> load_for(const std::string& machine, const std::string& file) {
  const workload::Workload workload = workload::parse_workload("trace:" + file).front();
  run::PreparedRun prepared = with_command("tcsim trace info", [&] {
    return run::prepare_run(workload, {machine, "", ""}, library::read_machine(machine, {}));
  });
  for (const std::string& note : prepared.inputs.notes) fmt::print(std::cerr, "{}\n", note);
  return std::move(prepared.launches);
}

workload::Workload workload_of(const EmitOptions& options) {
  std::vector<workload::Workload> workloads = workload::parse_workload(options.workload);
  if (workloads.size() != 1) {
    throw UsageError("tcsim trace emit: " + options.workload +
                     ": a list has many kernels; name one gemm:...");
  }
  if (std::holds_alternative<isa::KernelLaunch>(workloads.front().work) ||
      std::holds_alternative<traceg::RecordedStream>(workloads.front().work)) {
    throw UsageError("tcsim trace emit: " + options.workload + ": this is a trace already");
  }
  if (!options.unit.empty()) check_field("tcsim trace emit", "unit", options.unit);
  return workloads.front();
}

/// The kernel of the stream that options.kernel numbers, from 1.
const isa::KernelLaunch& kernel_of(const run::PreparedRun& run, const EmitOptions& options) {
  const std::size_t count = run.launches.size();
  const int kernel = options.kernel.value_or(1);
  if (kernel < 1 || static_cast<std::size_t>(kernel) > count)
    throw UsageError(
        fmt::format("tcsim trace emit: --kernel: {} is not one of 1 to {}", kernel, count));
  return run.launches[static_cast<std::size_t>(kernel) - 1];
}

void check_form(const EmitOptions& options) {
  if (options.form != "tct" && options.form != "traceg") {
    throw UsageError("tcsim trace emit: --form: '" + options.form + "' is not one of tct, traceg");
  }
  if (options.out.ends_with(".gz") || (options.form == "tct" && options.out.ends_with(".xz"))) {
    throw UsageError(
        fmt::format("tcsim trace emit: {}: --form {} does not write this packing; use .zst",
                    options.out, options.form));
  }
  if (options.form == "tct" && traceg::is_recording(options.out)) {
    throw UsageError("tcsim trace emit: " + options.out +
                     ": tcsim run would read a file of this name as a recorded trace; write "
                     "NAME.tct, or add --form traceg");
  }
  if (options.form != "traceg") return;
  if (options.out == "-") {
    throw UsageError(
        "tcsim trace emit: --form traceg: where to? Add -o NAME.traceg, with .zst or .xz to pack "
        "it, or -o FOLDER for all kernels and their list");
  }
  if (options.out.ends_with(".tracez")) {
    throw UsageError(
        "tcsim trace emit: --form traceg: " + options.out +
        ": tcsim reads this form but does not write it; write NAME.traceg, packed NAME.traceg.zst");
  }
  if (traceg::is_list(options.out)) {
    throw UsageError("tcsim trace emit: --form traceg: " + options.out +
                     ": names that end in .g are lists; write NAME.traceg, or -o FOLDER for all "
                     "kernels and their list");
  }
  if (files::without_packing(options.out).ends_with(".tct")) {
    throw UsageError("tcsim trace emit: --form traceg: " + options.out +
                     ": names that end in .tct are of the other form; write NAME.traceg, or leave "
                     "out --form");
  }
  if (options.kernel && !traceg::is_recording(options.out)) {
    throw UsageError("tcsim trace emit: --kernel: a folder takes all kernels; for one write -o " +
                     options.out + ".traceg");
  }
}

/// One kernel to a file, or all to a folder.
void save_recorded(const EmitOptions& options, const run::PreparedRun& run,
                   const config::Machine& machine) {
  for (const isa::KernelLaunch& launch : run.launches) {
    if (std::ranges::any_of(launch.buffers, &isa::Buffer::flags))
      throw NotCovered("tcsim trace emit: --form traceg: a recording cannot wait, and CTAs of " +
                       launch.name + " wait for each other");
  }
  const int sm_version = run::sm_version_of(machine);
  if (traceg::is_recording(options.out)) {
    traceg::save_recording(kernel_of(run, options), {sm_version}, options.out);
  } else {
    traceg::save_stream(run.launches, sm_version, options.out);
  }
}

int emit(const EmitOptions& options) {
  if (options.workload.empty()) {
    throw UsageError(
        "tcsim trace emit: which workload? For example: tcsim trace emit gemm:512 -m a100");
  }
  if (options.machine.empty()) {
    throw UsageError(
        "tcsim trace emit: which machine? Add -m NAME or -m FILE; presets: tcsim machine list");
  }
  check_form(options);
  const workload::Workload workload = workload_of(options);
  const config::MachineFile machine = library::read_machine(options.machine, options.overrides);
  const run::PreparedRun prepared = with_command("tcsim trace emit", [&] {
    return run::prepare_run(workload, {options.machine, options.unit, options.tile}, machine);
  });
  const isa::KernelLaunch& launch = kernel_of(prepared, options);
  if (options.out == "-") {
    fmt::print(std::cout, "{}", trace::write_tct(launch));
    return kDone;
  }
  if (!options.force && std::filesystem::exists(options.out)) {
    throw UsageError("tcsim trace emit: " + options.out +
                     ": exists; choose another name or add --force");
  }
  if (options.form == "traceg") {
    save_recorded(options, prepared, machine.machine);
  } else {
    trace::save_tct(launch, options.out);
  }
  return kDone;
}

int info(const InfoOptions& options) {
  if (options.file.empty()) throw UsageError("tcsim trace info: which file?");
  const Format format = parse_format(options.format);
  if (format != Format::kText && format != Format::kJson) {
    throw UsageError("tcsim trace info: --format: '" + options.format +
                     "' is not one of text, json");
  }
  const std::vector<isa::KernelLaunch> launches =
      options.machine.empty() ? load(options.file) : load_for(options.machine, options.file);
  if (format == Format::kJson) {
    fmt::print(std::cout, "{}", trace_info_json(launches, options.listing));
    return kDone;
  }
  for (const isa::KernelLaunch& launch : launches)
    fmt::print(std::cout, "{}{}", &launch == launches.data() ? "" : "\n",
               options.listing ? trace_listing_text(launch) : trace_info_text(launch));
  return kDone;
}

void add_emit(CLI::App& trace, int& status) {
  const auto options = std::make_shared<EmitOptions>();
  CLI::App* command = trace.add_subcommand("emit", "Write the kernel of a workload as text");
  command->add_option("workload", options->workload, "gemm:4096, gemm:m=..,n=..,k=..");
  command->add_option("-m,--machine", options->machine, "Preset or machine file");
  add_repeatable(*command, "--set", options->overrides, "key.path=value: change a key; repeatable");
  command->add_option("--tile", options->tile, "CTA tile; default: chosen");
  command->add_option("--unit", options->unit, "tensor or cuda-core; default: as for tcsim run");
  command->add_option("--kernel", options->kernel,
                      "Which kernel of the workload, from 1: split-K has two (default: 1)");
  command->add_option("--form", options->form,
                      "tct, or traceg for what every warp executes (default: tct)");
  command->add_option("-o,--out", options->out,
                      "File, packed if it ends in .zst; default: standard output. traceg: a file "
                      "NAME.traceg, optionally with .zst or .xz, or a folder");
  command->add_flag("--force", options->force, "Replace an existing file");
  command->callback([options, &status] { status = emit(*options); });
}

void add_info(CLI::App& trace, int& status) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = trace.add_subcommand("info", "Count what is in a kernel file");
  command->add_option("file", options->file,
                      "A .tct, .traceg or kernelslist.g file, or - for a .tct on standard input");
  command->add_option("-m,--machine", options->machine,
                      "Assemble the programs for this preset or machine file, as a run does");
  command->add_flag("--listing", options->listing,
                    "Print every instruction with its address instead of counts; json: besides");
  command->add_option("-f,--format", options->format, "text or json (default: text)");
  command->callback([options, &status] { status = info(*options); });
}

void add_run(CLI::App& trace, int& status, RunTrace run) {
  CLI::App* command =
      trace.add_subcommand("run", "Simulate a kernel file; the same as tcsim run trace:FILE");
  const auto texts = std::make_shared<RunOptionTexts>(*command);
  command->callback(
      [texts, run = std::move(run), &status] { status = run(texts->checked("trace:")); });
}

}  // namespace

void add_trace_command(CLI::App& app, int& status, RunTrace run) {
  CLI::App* trace = app.add_subcommand("trace", "Write, look at and run kernels as text");
  add_emit(*trace, status);
  add_info(*trace, status);
  add_run(*trace, status, std::move(run));
}

}  // namespace tcsim::cli
