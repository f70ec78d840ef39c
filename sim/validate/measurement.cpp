#include "sim/validate/measurement.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/config/schema.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/text/number.hpp"
#include "sim/validate/notes.hpp"
#include "sim/validate/padded_call.hpp"
#include "workloads/import/csv_list.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/kernels/kernel_name.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::validate {
namespace {

/// True for a row measured at a clock that was held.
bool has_locked_clock(const std::string& clock, const Fields& notes) {
  return !clock.empty() && value(notes, "clk") != "nominal";
}

/// What stands behind a tile for "decomposition=split_k_2" (serial split-K, CUTLASS example
/// 47), "stream_k", or a CTA for each tile; nothing if it is another.
std::optional<std::string> decomposition_of(const Fields& notes) {
  const std::string name = value(notes, "decomposition");
  constexpr std::string_view kSplit = "split_k_";
  if (name.empty() || name.ends_with("data_parallel")) return "";
  if (value(notes, "tile").empty()) return std::nullopt;
  if (name == "stream_k") return "_streamk";
  if (name.starts_with(kSplit)) return "_splitk" + name.substr(kSplit.size()) + "_serial";
  return std::nullopt;
}

/// The name of the library's kernel. Where the source cut it within its tile, "..._tilesize1", that
/// is put back from the notes beside it.
std::optional<kernels::KernelName> named_kernel(const Fields& notes) {
  std::string text = value(notes, "kernel");
  const std::string tile = value(notes, "tile");
  constexpr std::string_view kTile = "tilesize";
  if (const std::size_t at = text.rfind(kTile); at != std::string::npos && !tile.empty())
    text.replace(at + kTile.size(), std::string::npos, tile + "_stage" + value(notes, "stages"));
  std::string reason;
  std::optional<kernels::KernelName> name = kernels::parse_kernel_name(text, reason);
  if (name && name->use == kernels::NamedUse::kAttention) name.reset();
  return name;
}

/// True for the name, whole or cut, of a kernel that counts columns of D first.
bool counts_columns_first(std::string_view kernel) {
  return std::ranges::any_of(kernels::kernel_families(), [&](std::string_view family) {
    kernels::KernelName name;
    name.family = family;
    return kernel.starts_with(family) && !name.counts_rows_first();
  });
}

/// The tile in the notes, "128x64x32". Sources write it in the order of the kernel's name.
std::string noted_tile(const Fields& notes) {
  std::string tile = value(notes, "tile");
  while (tile.ends_with('x')) tile.pop_back();  // an extent that the source does not know
  const std::size_t first = tile.find('x');
  if (first == std::string::npos || !counts_columns_first(value(notes, "kernel"))) return tile;
  const std::size_t second = std::min(tile.find('x', first + 1), tile.size());
  return tile.substr(first + 1, second - first - 1) + "x" + tile.substr(0, first) +
         tile.substr(second);
}

/// What stands behind a tile of Hopper's own kernels of cuBLAS: those 256 wide along m have two
/// warpgroups beside each other ("warpgroupsize2x1x1"), others one (kernel_names of TRACELENS).
std::string roles_of(const std::string& tile, const Fields& notes) {
  if (!value(notes, "kernel").starts_with("sm90_xmma")) return "";
  return tile.starts_with("256x") ? "_coop" : "_pingpong";
}

/// "tile=128x128x32;warp=64x64;stages=4" or "tile=128x128x32;warps=2x2;stages=4" as `--tile` takes
/// it.
std::string tile_of(const Fields& notes) {
  std::string tile = noted_tile(notes);
  if (tile.empty()) return tile;
  const std::string stages = value(notes, "stages");
  const std::string warp = value(notes, "warp");
  const std::string warps = value(notes, "warps");
  if (!stages.empty() && !warps.empty())
    return tile + "_s" + stages + "_w" + warps + decomposition_of(notes).value_or("");
  if (stages.empty() || warp.empty())
    return tile + decomposition_of(notes).value_or("") + roles_of(tile, notes);
  const auto number = [](std::string_view text, int part) {
    for (; part > 0; --part) text.remove_prefix(std::min(text.find('x') + 1, text.size()));
    int result = 0;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return std::max(result, 1);
  };
  return tile + "_s" + stages + "_w" + std::to_string(number(tile, 0) / number(warp, 0)) + "x" +
         std::to_string(number(tile, 1) / number(warp, 1)) + decomposition_of(notes).value_or("");
}

/// Why the row cannot be scored; empty if it can.
std::string reason_against(const workload::Workload& row, const Fields& fields, const Fields& notes,
                           bool has_machine) {
  const std::string flag = value(notes, "flag");
  if (flag == "overhead") return "flag=overhead: the time is mostly launch or measurement cost";
  if (flag == "over_peak") return "flag=over_peak: faster than the board's peak";
  const auto* unsupported = std::get_if<workload::Unsupported>(&row.work);
  if (unsupported != nullptr && unsupported->parts.empty()) return unsupported->reason;
  if (value(notes, "kernel").find("winograd") != std::string::npos)
    return "Winograd: not a product of tiles";
  if (!has_machine) return "no machine file for " + value(fields, "gpu") + "; give one with -m";
  if (!decomposition_of(notes))
    return "decomposition " + value(notes, "decomposition") + " is not generated";
  return "";
}

/// What is wrong with the value of a column of `row`.
workload::Complaint complaint(const workload::Workload& row, std::string_view column,
                              const std::string& expected) {
  const auto note = std::ranges::find(row.notes, column, &workload::Note::name);
  return {note->column, std::string(column), files::shown(note->value) + " is not " + expected};
}

/// The mistakes in notes that say what to run. TensorRT's names of formats are sentences,
/// "Row_major_linear_FP32".
std::vector<workload::Complaint> note_complaints(const workload::Workload& row,
                                                 const Fields& notes) {
  static const std::vector<std::string_view> orders{"NCHW", "NHWC"};
  const bool is_conv = std::holds_alternative<workload::ConvWork>(row.work);
  const auto note = std::ranges::find(row.notes, "notes", &workload::Note::name);
  std::vector<workload::Complaint> complaints;
  for (const workload::Field& field : workload::split_fields(note->value, ';', note->column)) {
    std::string mistake;
    if (field.key == "tile" && !tile_of(notes).empty() && !named_kernel(notes))
      mistake = kernels::tile_text_mistake(tile_of(notes));
    if (is_conv && field.key == "fmt" && field.value.find("major") == std::string_view::npos &&
        std::ranges::find(orders, field.value) == orders.end())
      mistake = files::shown(field.value) + " is neither NCHW, NHWC nor a format of TensorRT" +
                files::did_you_mean(field.value, orders);
    if (!mistake.empty())
      complaints.push_back({field.value_column, std::string(field.key), mistake});
  }
  return complaints;
}

/// The mistakes in the time, the clock and the notes of a row. No kernel ends within a nanosecond,
/// nobody measures one for an hour. A clock that was held is one that machine files take.
std::vector<workload::Complaint> complaints_of(const workload::Workload& row, const Fields& fields,
                                               const Fields& notes) {
  constexpr double kLeast = 0.001;
  constexpr double kMost = 3.6e9;
  std::vector<workload::Complaint> complaints = note_complaints(row, notes);
  const auto time_us = text::number_of<double>(value(fields, "time_us"));
  if (!time_us || !(*time_us >= kLeast) || *time_us > kMost)
    complaints.push_back(complaint(row, "time_us", "a time from 0.001 us to 3.6e9 us, an hour"));
  const std::string clock = value(fields, "clock_mhz_if_known");
  const config::Key& key = *config::find_key("clocks.sm_mhz");
  const auto mhz = text::number_of<int>(clock);
  if (has_locked_clock(clock, notes) && (!mhz || *mhz < key.min || *mhz > key.max))
    complaints.push_back(complaint(row, "clock_mhz_if_known",
                                   "a whole number from " +
                                       std::to_string(static_cast<int>(key.min)) + " to " +
                                       std::to_string(static_cast<int>(key.max))));
  return complaints;
}

Fields fields_of(const workload::Workload& row) {
  Fields fields;
  for (const workload::Note& note : row.notes) fields.emplace(note.name, note.value);
  return fields;
}

/// The operation as it was measured: the notes tell the order of the tensors and the algorithm.
workload::Workload with_notes(workload::Workload row, const Fields& notes) {
  auto* conv = std::get_if<workload::ConvWork>(&row.work);
  if (conv == nullptr) return row;
  if (value(notes, "fmt") == "NCHW") conv->problem.order = kernels::TensorOrder::kNchw;
  if (value(notes, "algo").starts_with("implicit_gemm") ||
      value(notes, "algo") == "IMPLICIT_PRECOMP_GEMM")
    conv->algorithm = value(notes, "kernel").starts_with("sm90_xmma_fprop")
                          ? kernels::ConvAlgorithm::kImplicitGemmTma
                          : kernels::ConvAlgorithm::kImplicitGemm;
  row.text = workload::conv_text(*conv);
  return row;
}

/// Bytes across k: IMMA takes them along k alone. That libraries multiply them by DP4A is a guess.
bool is_for_dp4a(const workload::Workload& row) {
  const auto* gemm = std::get_if<kernels::GemmProblem>(&row.work);
  return gemm != nullptr && gemm->input == kernels::Element::kInt8 &&
         (gemm->layout_a != kernels::Layout::kNormal ||
          gemm->layout_b != kernels::Layout::kTransposed);
}

std::string unit_of(const workload::Workload& row) {
  const bool is_vector = std::holds_alternative<kernels::VectorProblem>(row.work) ||
                         std::holds_alternative<kernels::PoolProblem>(row.work);
  const bool is_attention = std::holds_alternative<kernels::AttentionProblem>(row.work);
  const bool is_simt = !is_attention && element_of(row) == kernels::Element::kFp32;
  return is_vector || is_simt || is_for_dp4a(row) ? "cuda-core" : "tensor";
}

/// Puts `value` for `key` into the words of a workload, "gemm:m=64,n=64,k=64".
void put_word(std::string& words, const std::string& key, const std::string& value) {
  const std::string word = key + "=";
  std::size_t begin = std::min(words.find(":" + word), words.find("," + word));
  if (begin == std::string::npos) {
    words += ',';
    begin = words.size() - 1;
  }
  const std::size_t end = std::min(words.find(',', begin + 1), words.size());
  words.replace(begin + 1, end - begin - 1, word + value);
}

/// The words that run `row`, as `rule` says that it was called.
std::string words_of(const workload::Workload& row, const RowRule* rule) {
  if (rule == nullptr) return row.text;
  std::string words = row.text;
  if (rule->call == CallRule::kPadded)
    words = workload::gemm_text(padded_call(std::get<kernels::GemmProblem>(row.work)));
  for (const auto& [key, value] : rule->words) put_word(words, key, value);
  try {
    (void)workload::parse_workload(words);
  } catch (const InputError& error) {
    config::Mistakes mistakes(rule->file);
    mistakes.add(rule->place, "words", error.what());
    mistakes.finish();
  }
  return words;
}

/// The rule of `source` that fits a row; null if none does.
const RowRule* rule_for(const Source& source, const Measurement& row, const Fields& notes) {
  const auto fits = [&](const RowRule& rule) {
    const auto stands = [&](const std::string& note) {
      const std::size_t equals = std::min(note.find('='), note.size());
      const auto found = notes.find(std::string_view(note).substr(0, equals));
      return found != notes.end() &&
             (equals == note.size() || found->second == note.substr(equals + 1));
    };
    return (rule.gpu.empty() || rule.gpu == row.gpu) &&
           (rule.operation.empty() || rule.operation == row.op) &&
           (rule.dtype.empty() || rule.dtype == row.dtype) &&
           (rule.acc.empty() || rule.acc == row.acc) && std::ranges::all_of(rule.notes, stands);
  };
  const auto found = std::ranges::find_if(source.rows, fits);
  return found == source.rows.end() ? nullptr : &*found;
}

/// The type of the sums of a product or a convolution; empty of other operations.
std::string_view sums_of(const workload::Workload& row) {
  if (const auto* gemm = std::get_if<kernels::GemmProblem>(&row.work))
    return workload::element_name(gemm->accumulate);
  if (const auto* conv = std::get_if<workload::ConvWork>(&row.work))
    return workload::element_name(conv->problem.accumulate);
  return {};
}

/// The runs whose times make that of `row`, in their order.
std::vector<workload::Workload> runs_of(const workload::Workload& row) {
  const auto* whole = std::get_if<workload::Unsupported>(&row.work);
  if (whole == nullptr) return {row};
  std::vector<workload::Workload> runs;
  for (const std::string& words : whole->parts)
    runs.push_back(workload::parse_workload(words).front());
  return runs;
}

/// How `row`, made of `runs`, was taken and called, as far as its source is known.
void take_source(const std::vector<workload::Workload>& runs, const Sources& sources,
                 const Fields& notes, Measurement& row) {
  const auto source = sources.find(row.source);
  const RowRule* rule = nullptr;
  if (source != sources.end()) {
    rule = rule_for(source->second, row, notes);
    row.traits = rule != nullptr ? rule->traits : source->second.traits;
    if (rule != nullptr) row.not_scored = rule->not_scored;
  }
  row.workload = words_of(runs.front(), rule);
  for (std::size_t i = 1; i < runs.size(); ++i) row.further.push_back(words_of(runs[i], rule));
}

Measurement measurement_of(const workload::Workload& row, const Fields& fields, const Fields& notes,
                           const Sources& sources, const GpuModel& model, const std::string& file) {
  Measurement measurement;
  measurement.file = file;
  measurement.line = row.line;
  measurement.gpu = value(fields, "gpu");
  measurement.model = model;
  const std::string clock = value(fields, "clock_mhz_if_known");
  measurement.locked_clock = has_locked_clock(clock, notes);
  if (measurement.locked_clock) measurement.model.overrides.push_back("clocks.sm_mhz=" + clock);
  const std::vector<workload::Workload> runs = runs_of(row);
  const workload::Workload& first = runs.front();
  measurement.op =
      runs.size() > 1 ? std::get<workload::Unsupported>(row.work).operation : operation_of(first);
  measurement.dtype = workload::element_name(element_of(first));
  measurement.acc = sums_of(first);
  measurement.source = value(fields, "source_id");
  take_source(runs, sources, notes, measurement);
  measurement.unit = unit_of(first);
  const std::optional<kernels::KernelName> name = named_kernel(notes);
  measurement.tile = name ? name->tile_text() : tile_of(notes);
  if (const std::string result = name ? result_of_bytes(*name) : ""; !result.empty())
    put_word(measurement.workload, "out", result);
  const std::string kernel = value(notes, "kernel");
  // "own": that of scripts/gpu, whose tile is fixed.
  measurement.library_chose = !measurement.tile.empty() && !kernel.empty() && kernel != "own";
  measurement.time_us = text::number_of<double>(value(fields, "time_us")).value();
  measurement.flop = workload::useful_flop(row).value_or(0);
  return measurement;
}

}  // namespace

kernels::Element element_of(const workload::Workload& row) {
  if (const auto* gemm = std::get_if<kernels::GemmProblem>(&row.work)) return gemm->input;
  if (const auto* attention = std::get_if<kernels::AttentionProblem>(&row.work))
    return attention->element;
  if (const auto* conv = std::get_if<workload::ConvWork>(&row.work)) return conv->problem.input;
  if (const auto* pool = std::get_if<kernels::PoolProblem>(&row.work)) return pool->element;
  return std::get<kernels::VectorProblem>(row.work).element;
}

std::string operation_of(const workload::Workload& row) {
  if (const auto* attention = std::get_if<kernels::AttentionProblem>(&row.work)) {
    if (attention->pass == kernels::AttentionPass::kBackward) return "attention_bwd";
    return attention->queries == 1 ? "attention_decode" : "attention_fwd";
  }
  if (const auto* vector = std::get_if<kernels::VectorProblem>(&row.work))
    return std::string(kernels::vector_name(vector->operation));
  if (const auto* pool = std::get_if<kernels::PoolProblem>(&row.work))
    return std::string(kernels::pool_name(pool->operation));
  if (const auto* conv = std::get_if<workload::ConvWork>(&row.work)) {
    constexpr std::array kNames{"conv_fwd", "conv_dgrad", "conv_wgrad"};
    return kNames[static_cast<std::size_t>(conv->problem.pass)];
  }
  return "gemm";
}

MeasurementList read_measurements(const std::string& file, const GpuNames& names) {
  MeasurementList list;
  const Sources sources = read_sources(file);
  const auto why_not = [&](const workload::Workload& row) {
    const Fields fields = fields_of(row);
    return reason_against(row, fields, notes_of(value(fields, "notes")),
                          names.find(value(fields, "gpu")).has_value());
  };
  const auto complaints = [&](const workload::Workload& row) {
    const Fields fields = fields_of(row);
    return why_not(row).empty() ? complaints_of(row, fields, notes_of(value(fields, "notes")))
                                : std::vector<workload::Complaint>();
  };
  const workload::ListNeeds needs{
      {"gpu", "time_us", "source_id", "notes"}, {"clock_mhz_if_known"}, complaints};
  const std::string text = files::read_file(file, files::FileKind::kList);
  for (const workload::Workload& row : workload::read_csv_list(text, file, needs)) {
    const std::string reason = why_not(row);
    if (!reason.empty()) {
      list.skipped.push_back({file, row.line, reason});
      continue;
    }
    const Fields fields = fields_of(row);
    const Fields notes = notes_of(value(fields, "notes"));
    Measurement read = measurement_of(with_notes(row, notes), fields, notes, sources,
                                      *names.find(value(fields, "gpu")), file);
    if (read.not_scored.empty())
      list.rows.push_back(std::move(read));
    else
      list.skipped.push_back({file, row.line, read.not_scored});
  }
  return list;
}

std::map<std::string, int> by_reason(const std::vector<SkippedRow>& rows) {
  std::map<std::string, int> counts;
  for (const SkippedRow& row : rows) ++counts[row.reason];
  return counts;
}

std::string_view size_class(double time_us) {
  if (time_us < 10) return "under 10 us";
  return time_us <= 300 ? "10-300 us" : "above 300 us";
}

}  // namespace tcsim::validate
