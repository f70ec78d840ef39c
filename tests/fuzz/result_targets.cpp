#include <cmath>
#include <stdexcept>

#include "sim/files/atomic_file.hpp"
#include "sim/json/parse.hpp"
#include "sim/plot/bars.hpp"
#include "sim/plot/roofline.hpp"
#include "sim/report/checksum.hpp"
#include "sim/report/row_table.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/list_report.hpp"
#include "sim/results/page.hpp"
#include "sim/results/sections.hpp"
#include "sim/results/table_plots.hpp"
#include "sim/results/text_views.hpp"
#include "sim/sweep/plots.hpp"
#include "tests/fuzz/picture.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/results/stored_runs.hpp"

namespace tcsim::fuzz {
namespace {

using json::Json;
using json::View;
using results::StoredRun;

/// A cell that has a number shows one.
void require_number(const results::Cell& cell) {
  require(
      !cell.number || (std::isfinite(*cell.number) && cell.text.find("nan") == std::string::npos &&
                       cell.text.find("inf") == std::string::npos),
      "a table with a number that is none: " + cell.text);
}

/// Every number of a report is one, in its tables and in what people read of it.
void require_numbers_in(const results::Document& document) {
  for (const results::Section& section : document.sections) {
    for (const auto& part : section.parts) {
      const auto* table = std::get_if<results::Table>(&part);
      if (table == nullptr) continue;
      for (const auto& row : table->rows)
        for (const results::Cell& cell : row) require_number(cell);
    }
  }
  require_numbers(results::page(document));
}

/// Everything that commands make of a stored run.
void view(const StoredRun& run) {
  const results::Document document = results::report_of(run);
  require_numbers_in(document);
  (void)results::document_text(document);
  (void)results::document_csv(document);
  (void)results::document_json(document).dump();
  (void)results::document_markdown(document);
  const plot::Roofline roofline = results::roofline_of(run);
  if (!roofline.dots.empty() && !roofline.ceilings.empty()) {
    require_numbers(plot::roofline_svg(roofline, plot::Theme::kFile));
    (void)plot::roofline_ascii(roofline);
  }
  static const StoredRun other = results::fake_run("other", 2000);
  require_numbers_in(results::comparison_of({other, run}));
  require_numbers_in(results::comparison_of({run, other}));
}

std::string text_with_seal(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  // One that reading refuses before it looks at the checksum is left as it is.
  return json.is_object() ? report::sealed(json).dump() : text;
}

bool run_stats(Bytes bytes) {
  static const StoredRun good = results::fake_run();
  return accepts([&] {
    view(results::run_of("run", json::parse(text_of(bytes), "stats.json"), good.manifest));
  });
}

std::vector<std::string> stats_seeds() { return {results::fake_run().stats.json().dump(1)}; }

bool run_manifest(Bytes bytes) {
  static const StoredRun good = results::fake_run();
  return accepts([&] {
    const View manifest = json::parse(text_of(bytes), "manifest.json");
    (void)report::verify_seal(manifest);
    view(results::run_of("run", good.stats, manifest));
  });
}

std::vector<std::string> manifest_seeds() {
  return {report::sealed(results::fake_run().manifest.json()).dump(1)};
}

/// A whole directory: two lines, stats.json and manifest.json, as files.
bool run_directory(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::filesystem::create_directories(scratch_folder() / "run");
  write_scratch("run/stats.json", text.substr(0, end));
  write_scratch("run/manifest.json", text.substr(std::min(end + 1, text.size())));
  return accepts([&] { view(results::load_run(scratch_folder() / "run")); });
}

std::vector<std::string> directory_seeds() {
  const StoredRun run = results::fake_run();
  const std::string stats = run.stats.json().dump();
  std::filesystem::create_directories(scratch_folder() / "run");
  write_scratch("run/stats.json", stats);
  const Json manifest = report::sealed_manifest(scratch_folder() / "run", run.manifest.json());
  return {stats + "\n" + manifest.dump(), stats + "\n" + run.manifest.json().dump()};
}

Json list_rows() {
  const Json result{{"time_us", 2.5},
                    {"tflops", 1.5},
                    {"dtype", "fp16"},
                    {"peak_tflops", 3.0},
                    {"peak_fraction", 0.5},
                    {"flop", 1e6},
                    {"bound_by", "dram"},
                    {"memory", {{"arithmetic_intensity", 12.5}}},
                    {"kernels", {{{"tile", "64x64x32"}}}},
                    {"machine", "toy"},
                    {"cycles_by_reason", {{"issued", 10}, {"dependence_fixed", 30}}}};
  const auto row = [&](int number, const char* machine) {
    return Json{{"row", number},
                {"machine", machine},
                {"workload", "gemm:64"},
                {"title", "64x64x64"},
                {"directory", "rows/0001-toy"},
                {"status", "done"},
                {"reason", ""},
                {"result", result}};
  };
  Json failed = row(2, "toy");
  failed["status"] = "failed";
  failed["reason"] = "status 3: why";
  failed["result"] = nullptr;
  return Json::array({row(1, "toy"), failed, row(1, "other")});
}

/// A list whose rows have a directory beside it.
bool run_rows(Bytes bytes) {
  static const StoredRun good = results::fake_run();
  static const bool is_written = [] {
    const auto folder = scratch_folder() / "list/rows/0001-toy";
    std::filesystem::create_directories(folder);
    files::write_atomically(folder / "stats.json", good.stats.json().dump());
    files::write_atomically(folder / "manifest.json", good.manifest.json().dump());
    return true;
  }();
  require(is_written, "rows: no directory of a row");
  Json manifest = good.manifest.json();
  manifest["workload"]["words"] = "csv:list.csv";
  return accepts([&] {
    const results::StoredList list =
        results::list_of((scratch_folder() / "list").string(),
                         json::parse(text_of(bytes), "rows.json"), View(manifest, "manifest.json"));
    require_numbers_in(results::report_of(list));
    require_numbers_in(results::comparison_of({list, list}));
    try {
      require_numbers(plot::stacked_bars_svg(results::stalls_of(list), plot::Theme::kFile));
    } catch (const std::invalid_argument&) {  // nothing to draw, which the command says
    }
  });
}

std::vector<std::string> rows_seeds() { return {list_rows().dump(1)}; }

/// A CSV file and every plot of it.
bool run_result_table(Bytes bytes) {
  const auto draw = [&](const auto& picture) {
    return accepts([&] {
      results::ResultTable table =
          results::parse_result_table(std::string(text_of(bytes)), "t.csv");
      try {
        require_numbers(picture(table));
      } catch (const std::invalid_argument&) {  // told by the command as a mistake
      }
    });
  };
  const bool compares = draw([](results::ResultTable& table) {
    const plot::Bars bars = results::speed_ups(table, "machine");
    return plot::bars_svg(bars, plot::Theme::kFile) + plot::bars_ascii(bars);
  });
  const bool rises = draw([](results::ResultTable& table) {
    const sweep::PlotRequest plot = results::flops_vs_n(table);
    return sweep::curves_svg(plot, table.rows) + plot::bars_ascii(results::bars_of(table, plot));
  });
  const bool maps = draw([](results::ResultTable& table) {
    const sweep::PlotRequest plot = results::heat_map(table, "workload", "machine", "time_us");
    return sweep::heat_map_svg(plot, table.rows) + plot::bars_ascii(results::bars_of(table, plot));
  });
  return compares || rises || maps;
}

std::vector<std::string> result_table_seeds() {
  return {
      "machine,workload,status,time_us,tflops\nv,gemm:256,done,4,1\na,gemm:256,done,1,4\n"
      "v,gemm:512,done,9,2\na,gemm:512,done,4,5\na,\"gemm:m=1,n=2,k=3\",failed,,\n",
      "configuration,name,machine,workload,n,complete,reason,time_us,tflops\n"
      "1,,v,gemm:8,8,yes,,3,2\n2,,a,gemm:8,8,yes,,2,3\n"};
}

}  // namespace

const Target stats_json_target{"stats_json", run_stats, stats_seeds, Form::kJson};
const Target manifest_json_target{"manifest_json", run_manifest, manifest_seeds, Form::kJson,
                                  text_with_seal};
const Target run_directory_target{"run_directory", run_directory, directory_seeds, Form::kText};
const Target rows_json_target{"rows_json", run_rows, rows_seeds, Form::kJson};
const Target result_table_target{"result_table", run_result_table, result_table_seeds, Form::kText};

}  // namespace tcsim::fuzz
