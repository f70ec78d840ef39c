#include "sim/validate/named_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "sim/files/content_error.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/read_file.hpp"
#include "sim/text/number.hpp"
#include "sim/validate/notes.hpp"
#include "sim/validate/source.hpp"

namespace tcsim::validate {
namespace {

using files::CsvField;
using kernels::KernelName;
using kernels::NamedUse;

constexpr std::array<std::string_view, 6> kListColumns{"gpu",       "op",     "dtype_in",
                                                       "dtype_acc", "params", "kernel"};
constexpr std::array<std::string_view, 8> kSgemmColumns{"gpu", "op", "batch",  "m",
                                                        "n",   "k",  "kernel", "grid"};

struct Row {
  std::map<std::string, CsvField, std::less<>> fields;

  [[nodiscard]] std::string text(std::string_view column) const {
    const auto found = fields.find(column);
    return found == fields.end() ? std::string() : found->second.text;
  }
};

/// The type of a column, without the mark of a guess; empty where the row does not know it.
std::string known_type(std::string type) {
  if (type.ends_with('?')) type.pop_back();
  return type == "unstated" ? "" : type;
}

/// Matrices of one launch: a grid has 65535 layers, and so many fill any machine.
std::string launched(const std::string& batch) {
  constexpr int kLayers = 65535;
  std::int64_t matrices = 0;
  std::from_chars(batch.data(), batch.data() + batch.size(), matrices);
  return matrices > kLayers ? std::to_string(kLayers) : batch;
}

/// Slices from a grid, "8x12x4"; nothing where it is none.
std::optional<int> slices_of(const std::string& grid) {
  const std::size_t at = grid.rfind('x');
  if (at == std::string::npos) return std::nullopt;
  const auto slices = text::number_of<int>(std::string_view(grid).substr(at + 1));
  return slices && *slices >= 1 ? slices : std::nullopt;
}

class NameList {
 public:
  NameList(std::string_view text, const std::string& file, const GpuNames& names)
      : file_(file), table_(text, file), names_(names), sources_(read_sources(file)) {}

  NamedKernels read() {
    for (files::CsvRow row; table_.next(row);) {
      if (row.text.empty()) continue;
      if (const auto mistake = files::quote_mistake(row))
        refuse(row.fields[mistake->field].column, "row", std::string(mistake->reason));
      if (header_.empty())
        read_header(row.fields);
      else
        read_row(row.fields);
    }
    if (header_.empty()) refuse(1, "header", "the file is empty");
    return std::move(list_);
  }

 private:
  [[noreturn]] void refuse(int column, const std::string& key, const std::string& reason) const {
    throw files::ContentError({table_.mistake(column, key, reason)});
  }
  void skip(const std::string& reason) { list_.skipped.push_back({file_, table_.line(), reason}); }

  void read_header(const std::vector<CsvField>& fields) {
    for (const CsvField& field : fields) header_.push_back(field.text);
    is_sgemm_ = std::ranges::find(header_, "batch") != header_.end();
    const std::span<const std::string_view> columns =
        is_sgemm_ ? std::span<const std::string_view>(kSgemmColumns) : kListColumns;
    for (const std::string_view column : columns)
      if (const std::string mistake = table_.column_mistake(fields, column, columns);
          !mistake.empty())
        throw files::ContentError({mistake});
  }

  void read_row(const std::vector<CsvField>& fields) {
    if (fields.size() != header_.size())
      refuse(1, "row",
             std::to_string(fields.size()) + " fields, the header has " +
                 std::to_string(header_.size()));
    Row row;
    for (std::size_t i = 0; i < fields.size(); ++i) row.fields.emplace(header_[i], fields[i]);
    if (value(notes_of(row.text("notes")), "role") == "aux")
      return skip("role=aux: a kernel next to the one that multiplies");
    std::string reason;
    const auto name = kernels::parse_kernel_name(row.text("kernel"), reason);
    if (!name) return skip("the kernel's name has no tile, or is of no product that is modelled");
    if (name->use == NamedUse::kAttention) return skip("attention: its tiles come from a list");
    if (row.text("kernel").find("winograd") != std::string::npos)
      return skip("Winograd: not a product of tiles");
    const std::string gpu = row.text("gpu");  // "V100(inferred)" counts as one
    const auto model = names_.find(gpu.substr(0, gpu.find('(')));
    if (!model) return skip("no machine file for " + gpu + "; give one with -m");
    if (notes_of(row.text("params")).contains("d") && row.text("op").starts_with("conv_"))
      return skip("convolution in three dimensions: not simulated");
    NamedKernel named;
    named.line = table_.line();
    named.gpu = gpu;
    named.model = *model;
    named.kernel = row.text("kernel");
    named.name = *name;
    const std::string words = is_sgemm_ ? sgemm_words(row) : list_words(row, *name);
    if (words.empty()) return skip(row.text("op") + ": not scored");
    const std::string type = known_type(row.text("dtype_in"));
    if (!type.empty() && !name->operands.empty() && type != name->operands)
      return skip(fmt::format("the operands of the kernel's name are {}, those of the row {}",
                              name->operands, type));
    try {
      named.workload = workload::parse_workload(words).front();
    } catch (const files::ContentError& error) {
      refuse(row.fields.at(is_sgemm_ ? "m" : "params").column, "row", error.what());
    }
    if (const auto* beyond = std::get_if<workload::Unsupported>(&named.workload.work))
      return skip(beyond->reason);
    named.operation = operation_of(named.workload);
    const bool is_simt =
        element_of(named.workload) == kernels::Element::kFp32 || name->instruction == "cuda_cores";
    named.unit = is_simt ? "cuda-core" : "tensor";
    named.slices = slices(row, *name);
    if (const auto source = sources_.find(row.text("source_id")); source != sources_.end())
      named.libraries = source->second.traits.libraries;
    list_.rows.push_back(std::move(named));
  }

  /// Of the words of `gemm:`; empty for an operation that is none.
  [[nodiscard]] std::string sgemm_words(const Row& row) const {
    const std::string operation = row.text("op");
    if (operation != "linear" && operation != "bmm") return "";
    return "gemm:m=" + row.text("m") + ",n=" + row.text("k") + ",k=" + row.text("n") +
           ",batch=" + launched(row.text("batch")) +
           ",dtype=fp32,acc=fp32,out=fp32,layout=" + (operation == "linear" ? "nt" : "nn");
  }
  [[nodiscard]] static std::string list_words(const Row& row, const KernelName& name) {
    const std::string operation = row.text("op");
    std::string words;
    if (operation == "gemm") words = "gemm:";
    if (operation.starts_with("conv_")) words = "conv:pass=" + operation.substr(5) + ",";
    if (words.empty()) return words;
    const std::string operands = known_type(row.text("dtype_in"));
    words += "dtype=" + (operands.empty() ? name.operands : operands);
    const std::string accumulate =
        name.accumulate.empty() ? known_type(row.text("dtype_acc")) : name.accumulate;
    if (!accumulate.empty()) words += ",acc=" + accumulate;
    if (const std::string result = result_of_bytes(name); !result.empty())
      words += ",out=" + result;
    const std::string params = row.text("params");
    for (const std::string_view word : split_notes(params))
      if (!word.starts_with("blas")) words += "," + std::string(word);
    return words;
  }
  [[nodiscard]] std::optional<int> slices(const Row& row, const KernelName& name) const {
    if (is_sgemm_) {
      if (row.text("op") != "linear") return std::nullopt;
      return slices_of(row.text("grid"));
    }
    if (name.split_k > 0) return name.split_k;
    // Its names say whether k is cut, not how often.
    if (name.family == "nvjet") return name.splits_k ? 2 : 1;
    return slices_of("x" + row.text("split_k"));
  }

  const std::string& file_;
  files::CsvTable table_;
  const GpuNames& names_;
  Sources sources_;
  std::vector<std::string> header_;
  bool is_sgemm_ = false;
  NamedKernels list_;
};

}  // namespace

NamedKernels read_named_kernels(const std::string& file, const GpuNames& names) {
  const std::string text = files::read_file(file, files::FileKind::kList);
  return NameList(text, file, names).read();
}

}  // namespace tcsim::validate
