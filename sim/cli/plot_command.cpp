#include "sim/cli/plot_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/results/list_report.hpp"
#include "sim/results/network_report.hpp"
#include "sim/results/sections.hpp"
#include "sim/results/table_plots.hpp"
#include "sim/sweep/plots.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view name;
  std::vector<std::string_view> options;  ///< that it reads, besides those of the form
};

const std::array<Kind, 6>& kinds() {
  static const std::array<Kind, 6> all{{{"roofline", {"--machine"}},
                                        {"speedup", {"--series", "--where"}},
                                        {"flops-vs-n", {"--where"}},
                                        {"stalls", {}},
                                        {"heatmap", {"--x", "--y", "--value", "--where"}},
                                        {"timeline", {}}}};
  return all;
}

struct PlotOptions {
  std::string target;
  std::string kind;
  std::string out;
  std::string form = "svg";
  bool ascii = false;
  std::string machine;
  std::string x;
  std::string y;
  std::string value;
  std::string series = "machine";
  std::vector<std::string> where;
  std::vector<std::string> given;  ///< the options on the command line
};

/// A plot in both forms.
struct Picture {
  std::string svg;
  std::string ascii;
};

[[noreturn]] void refuse_plot(const std::string& reason) {
  throw UsageError("tcsim plot: " + reason);
}

std::string chosen_machine(const results::StoredList& list, const std::string& wanted) {
  const std::vector<std::string> machines = results::machines_of(list);
  if (wanted.empty() && machines.size() == 1) return machines.front();
  if (std::find(machines.begin(), machines.end(), wanted) != machines.end()) return wanted;
  refuse_plot(fmt::format("--machine: choose one of {}", fmt::join(machines, ", ")));
}

Picture roofline_picture(const PlotOptions& options) {
  if (!options.machine.empty() && !results::is_list(options.target))
    refuse_plot("--machine: " + options.target + " has one machine");
  plot::Roofline roofline;
  if (results::is_list(options.target)) {
    const results::StoredList list = results::load_list(options.target);
    roofline = results::roofline_of(list, chosen_machine(list, options.machine));
  } else if (results::is_network(options.target)) {
    const results::StoredNetwork network = results::load_network(options.target);
    roofline = options.ascii || options.form == "ascii" ? results::grouped_roofline_of(network)
                                                        : results::roofline_of(network);
  } else {
    roofline = results::roofline_of(results::load_run(options.target));
  }
  if (roofline.dots.empty() || roofline.ceilings.empty())
    refuse_plot(options.target + ": the useful operations are not known, so there is no roofline");
  return {plot::roofline_svg(roofline, plot::Theme::kFile), plot::roofline_ascii(roofline)};
}

Picture stalls_picture(const PlotOptions& options) {
  const plot::StackedBars bars = results::is_list(options.target)
                                     ? results::stalls_of(results::load_list(options.target))
                                 : results::is_network(options.target)
                                     ? results::stalls_of(results::load_network(options.target))
                                     : results::stalls_of(results::load_run(options.target));
  return {plot::stacked_bars_svg(bars, plot::Theme::kFile), plot::stacked_bars_ascii(bars)};
}

Picture timeline_picture(const PlotOptions& options) {
  if (results::is_list(options.target))
    refuse_plot(options.target + ": timeline draws a run or a network; choose one of rows/");
  if (results::is_network(options.target)) {
    const plot::Lanes lanes = results::lanes_of(results::load_network(options.target));
    if (lanes.end <= 0) refuse_plot(options.target + ": no step has ended");
    return {plot::lanes_svg(lanes, plot::Theme::kFile), plot::lanes_ascii(lanes)};
  }
  const plot::Strips strips = results::activity_of(results::load_run(options.target));
  if (strips.edges.empty() || strips.edges.back() <= 0)
    refuse_plot(options.target + ": the run took no time");
  return {plot::strips_svg(strips, plot::Theme::kFile), plot::strips_ascii(strips)};
}

Picture table_picture(const PlotOptions& options) {
  results::ResultTable table = results::read_result_table(options.target);
  for (const std::string& condition : options.where) {
    const std::size_t equals = condition.find('=');
    if (equals == std::string::npos)
      refuse_plot(fmt::format("--where: {} is not COLUMN=VALUE", files::shown(condition)));
    results::keep_rows(table, condition.substr(0, equals), condition.substr(equals + 1));
  }
  if (options.kind == "speedup") {
    const plot::Bars bars = results::speed_ups(table, options.series);
    return {plot::bars_svg(bars, plot::Theme::kFile), plot::bars_ascii(bars)};
  }
  if (options.kind == "flops-vs-n") {
    const sweep::PlotRequest plot = results::flops_vs_n(table);
    return {sweep::curves_svg(plot, table.rows), plot::bars_ascii(results::bars_of(table, plot))};
  }
  if (options.x.empty() || options.y.empty() || options.value.empty())
    refuse_plot("a heatmap needs --x COLUMN, --y COLUMN and --value COLUMN");
  const sweep::PlotRequest plot = results::heat_map(table, options.x, options.y, options.value);
  return {sweep::heat_map_svg(plot, table.rows), plot::bars_ascii(results::bars_of(table, plot))};
}

Picture picture_of(const PlotOptions& options) {
  const bool needs_run =
      options.kind == "roofline" || options.kind == "stalls" || options.kind == "timeline";
  if (needs_run && !fs::is_directory(options.target))
    refuse_plot(fmt::format("{} needs the directory of a run or of a list of runs, not {}",
                            options.kind, options.target));
  if (options.kind == "roofline") return roofline_picture(options);
  if (options.kind == "timeline") return timeline_picture(options);
  return options.kind == "stalls" ? stalls_picture(options) : table_picture(options);
}

/// An option that what is drawn does not read would be ignored.
void require_read(const PlotOptions& options, const std::vector<std::string_view>& read,
                  std::string_view drawn) {
  for (const std::string& given : options.given)
    if (std::find(read.begin(), read.end(), given) == read.end())
      refuse_plot(fmt::format("{}: has no effect on {}", given, drawn));
}

int plot_sweep(const PlotOptions& options) {
  require_read(options, {}, "the plots of a SPEC, which a --kind would leave out");
  const sweep::Folder folder = sweep::Folder::open(options.target);
  if (folder.plan().plots.empty())
    refuse_plot("the SPEC of this sweep names no plots; choose a --kind");
  const sweep::DrawnPlots plots = sweep::draw_plots(folder, totals_of(rows_of(folder)));
  for (const std::string& file : plots.files)
    fmt::print(std::cout, "{}\n", (folder.path() / file).string());
  for (const std::string& reason : plots.empty) fmt::print(std::cerr, "{}\n", reason);
  return plots.empty.empty() ? kDone : kCheckFailed;
}

/// Throws IoError if there is no target; standard input is one.
void require_target(const PlotOptions& options) {
  if (options.target == "-" || fs::exists(options.target)) return;
  const std::string_view kind = files::nearest(options.target, plot_kinds());
  throw IoError(
      options.target + ": there is no such directory or file" +
      (kind.empty() ? "" : fmt::format("; the kind of a plot is an option: --kind {}", kind)));
}

int plot_target(const PlotOptions& options) {
  if (options.target.empty())
    refuse_plot("of what? Give the directory of a run, of a list or of a sweep, or a CSV file");
  require_target(options);
  if (options.kind.empty() && fs::exists(fs::path(options.target) / "plan.json"))
    return plot_sweep(options);
  const std::vector<std::string_view> names = plot_kinds();
  if (options.kind.empty())
    refuse_plot(fmt::format("{}: which plot? Add --kind with one of {}", options.target,
                            fmt::join(names, ", ")));
  const Kind* const kind = std::find_if(
      kinds().begin(), kinds().end(), [&](const Kind& each) { return each.name == options.kind; });
  if (kind == kinds().end())
    refuse_plot(fmt::format("--kind: '{}' is not one of {}{}", options.kind, fmt::join(names, ", "),
                            files::did_you_mean(options.kind, names)));
  std::vector<std::string_view> read{"--out", "--plot", "--ascii"};
  read.insert(read.end(), kind->options.begin(), kind->options.end());
  require_read(options, read, options.kind);
  if (options.form != "svg" && options.form != "ascii")
    refuse_plot(fmt::format("--plot: '{}' is not one of svg, ascii", options.form));
  const bool ascii = options.ascii || options.form == "ascii";
  if (ascii && !options.out.empty()) refuse_plot("-o and --ascii contradict each other");
  const Picture picture = picture_of(options);
  if (ascii || options.out.empty()) {
    fmt::print(std::cout, "{}", ascii ? picture.ascii : picture.svg);
    return kDone;
  }
  files::write_output(options.out, picture.svg);
  fmt::print(std::cout, "{}\n", options.out);
  return kDone;
}

}  // namespace

std::vector<std::string_view> plot_kinds() {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  return names;
}

void add_plot_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("plot", "Draw runs, tables of results and sweeps as SVG");
  const auto options = std::make_shared<PlotOptions>();
  command->add_option("target", options->target,
                      "Directory of a run, of a network, of a list or of a sweep, or a CSV file");
  command->add_option("--kind", options->kind,
                      fmt::format("{}; without it a sweep draws the plots of its SPEC",
                                  fmt::join(plot_kinds(), ", ")));
  command->add_option("-o,--out", options->out, "SVG file; default: standard output");
  command->add_option("--plot", options->form, "svg, or ascii for the terminal (default: svg)");
  command->add_flag("--ascii", options->ascii, "The same as --plot ascii");
  command->add_option("-m,--machine", options->machine,
                      "roofline of a list: only the rows of this machine");
  command->add_option("--series", options->series,
                      "speedup: the column to compare (default: machine)");
  command->add_option("--x", options->x, "heatmap: column of the table");
  command->add_option("--y", options->y, "heatmap: column of the table");
  command->add_option("--value", options->value, "heatmap: column of the table");
  add_repeatable(*command, "--where", options->where,
                 "COLUMN=VALUE: only rows of a table with this value; repeatable");
  command->callback([command, options, &status] {
    for (const CLI::Option* option : command->get_options())
      if (option->count() > 0 && !option->get_positional() && option->get_name() != "--kind")
        options->given.push_back(option->get_name());
    try {
      status = plot_target(*options);
    } catch (const sweep::FolderRefused& error) {
      throw UsageError(error.what());
    } catch (const std::invalid_argument& error) {
      refuse_plot(options->target + ": " + error.what());
    }
  });
}

}  // namespace tcsim::cli
