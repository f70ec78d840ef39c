#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "sim/json/parse.hpp"
#include "sim/report/checksum.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/sweep/collect.hpp"
#include "sim/sweep/estimate.hpp"
#include "sim/sweep/expression.hpp"
#include "sim/sweep/html_report.hpp"
#include "sim/sweep/plots.hpp"
#include "sim/sweep/points.hpp"
#include "sim/sweep/running.hpp"
#include "tests/fuzz/picture.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/support/text_of.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::fuzz {
namespace {

using json::Json;
using sweep::Folder;

bool run_spec(Bytes bytes) {
  return accepts([&] {
    const sweep::Spec spec = sweep::spec_of(std::string(text_of(bytes)));
    require(!sweep::configurations_of(spec).empty(), "SPEC: no configuration");
  });
}

constexpr std::string_view kPlots =
    "plots:\n"
    "  - {kind: curves, name: c, x: n, y: time_us, series: machine}\n"
    "  - {kind: heatmap, name: h, x: n, y: machine, value: tflops}\n"
    "  - {kind: pareto, name: p, x: time_us, y: energy.energy_j}\n"
    "  - {kind: parallel, name: l, axes: [n, time_us]}\n"
    "  - {kind: waterfall, name: w, x: n, y: time_us, where: {machine: half}}\n";

std::string spec_text() { return sweep::small_spec_text() + std::string(kPlots); }

std::vector<std::string> spec_seeds() {
  return {sweep::small_spec_text(), spec_text(),
          "name: grid\nmachines: [lab-tiny]\nworkloads: [\"gemm:{n}\"]\n"
          "axes: {n: {from: 32, to: 128, step: 32}, w: [8, 16]}\nset: {l2.ways: \"{w}\"}\n"
          "derived: {m: n*2}\nwhere: [\"n > w\"]\nexclude: [{n: 64, w: 8}]\n"};
}

bool run_expression(Bytes bytes) {
  const std::map<std::string, double> values{{"n", 64}, {"machine", 1.5}, {"a_b", -3}};
  try {
    (void)sweep::evaluate(std::string(text_of(bytes)), values);
    return true;
  } catch (const sweep::ExpressionError& error) {
    require(!std::string_view(error.what()).empty(), "expression: a refusal without a word");
    return false;
  }
}

std::vector<std::string> expression_seeds() {
  return {"n * 2 + 1", "n > 32 && a_b < 0 ? mod(n, 7) : sqrt(n)", "max(n, 3, machine) ^ 2",
          "2 ^ rint(log2(n)) / (n - 1) == 1 || !(n == 3)"};
}

/// A folder with results for the first three points and a failure for the last.
const std::filesystem::path& sweep_folder() {
  static const std::filesystem::path path = [] {
    const auto folder_path = scratch_folder() / "sweep";
    sweep::Plan plan = sweep::plan_of(spec_text());
    plan.program = "bin/tcsim";
    for (const char* name : {"points", "failed", "running", "plots"})
      std::filesystem::create_directories(folder_path / name);
    write_scratch("sweep/plan.json", to_json(plan).dump());
    const Folder folder = Folder::open(folder_path);
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
      if (i + 1 < plan.points.size())
        folder.store_result(plan.points[i], sweep::result_of(1.5 + static_cast<double>(i)));
      else
        folder.store_failure(plan.points[i],
                             {sweep::PointState::kCrashed, 70, 0, "ended", {"a line"}});
    }
    return folder_path;
  }();
  return path;
}

/// Everything that `sweep status`, `sweep collect` and `plot` make of a folder.
void view_folder() {
  const Folder folder = Folder::open(sweep_folder());
  const std::vector<sweep::Row> rows = rows_of(folder);
  const std::vector<sweep::Total> totals = totals_of(rows);
  (void)folder.count_stale();
  (void)sweep::running_points(folder);
  (void)sweep::measured_ratio(rows);
  for (const sweep::Total& total : totals)
    for (const sweep::MetricValue& metric : total.metrics)
      require(!metric.number || std::isfinite(*metric.number), "sweep: a total that is no number");
  (void)sweep_csv(folder.plan(), rows);
  (void)totals_csv(folder.plan(), totals);
  (void)report_html(folder, rows, totals);
  for (const sweep::PlotRequest& plot : folder.plan().plots) {
    try {
      require_numbers(plot_svg(plot, totals));
    } catch (const std::invalid_argument&) {  // told by the command as a mistake of the plot
    }
  }
}

bool accepts_folder() {
  return accepts([] {
    try {
      view_folder();
    } catch (const sweep::FolderRefused& error) {  // status 2
      throw files::ContentError({error.what()});
    }
  });
}

std::string plan_with_seal(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? report::sealed(json).dump() : text;
}

/// Files of the folder as the last target left them would change what the next one sees.
void restore_plan() {
  static const std::string good = [] {
    (void)sweep_folder();
    return test::text_of(sweep_folder() / "plan.json");
  }();
  write_scratch("sweep/plan.json", good);
}

bool run_plan(Bytes bytes) {
  restore_plan();
  write_scratch("sweep/plan.json", text_of(bytes));
  return accepts_folder();
}

std::vector<std::string> plan_seeds() {
  restore_plan();
  return {test::text_of(sweep_folder() / "plan.json")};
}

/// The file of the first point, or of the last, which failed.
std::filesystem::path point_file(const char* kind) {
  restore_plan();
  const Folder folder = Folder::open(sweep_folder());
  const sweep::Point& point = std::string_view(kind) == "points" ? folder.plan().points.front()
                                                                 : folder.plan().points.back();
  return std::filesystem::path("sweep") / kind / (point.key + ".json");
}

std::string body_with_seal(const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("body")) return text;
  json["checksum"] = report::hash_text(json["body"].dump());
  return json.dump();
}

/// True if the point is not said to be damaged.
template <const char* kKind>
bool run_point(Bytes bytes) {
  static const std::filesystem::path file = point_file(kKind);
  restore_plan();
  write_scratch(file, text_of(bytes));
  if (!accepts_folder()) return false;
  const Folder folder = Folder::open(sweep_folder());
  const std::vector<sweep::Row> rows = rows_of(folder);
  return std::ranges::none_of(rows, [&](const sweep::Row& row) {
    return row.point->key == file.stem() && row.record.corrupt;
  });
}

template <const char* kKind>
std::vector<std::string> point_seeds() {
  static const std::string good = test::text_of(scratch_folder() / point_file(kKind));
  return {good};
}

constexpr char kPoints[] = "points";
constexpr char kFailed[] = "failed";

}  // namespace

const Target spec_target{"spec", run_spec, spec_seeds, Form::kText};
const Target expression_target{"expression", run_expression, expression_seeds, Form::kText};
const Target plan_json_target{"plan_json", run_plan, plan_seeds, Form::kJson, plan_with_seal};
const Target point_json_target{"point_json", run_point<kPoints>, point_seeds<kPoints>, Form::kJson,
                               body_with_seal};
const Target failure_json_target{"failure_json", run_point<kFailed>, point_seeds<kFailed>,
                                 Form::kJson, body_with_seal};

}  // namespace tcsim::fuzz
