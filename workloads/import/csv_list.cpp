#include "workloads/import/csv_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/files/csv_table.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/import/operations.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::workload {
namespace {

using files::CsvField;

constexpr std::size_t kMostMessages = 200;
constexpr std::size_t kMostColumns = 200;
constexpr std::size_t kMostRows = 100'000;

/// The columns with a meaning; the others are notes.
constexpr std::array<std::string_view, 4> kColumns{"op", "dtype_in", "dtype_acc", "params"};
enum Column : std::uint8_t { kOp, kDtypeIn, kDtypeAcc, kParams };

/// A row for an operation that no single run simulates: attention_fwd_bwd, whose parts are its
/// passes. Without sizes its work is unknown. The mistakes stay in `fields`, which have been set,
/// those of finish() at `end_column`.
Unsupported later_operation(const std::string& operation, AttentionFields& fields, int end_column) {
  Unsupported row{operation, operation + " is not simulated yet"};
  if (!fields.has_sizes()) return row;
  auto problem = fields.finish(end_column);
  if (!problem) return row;
  if (!fields.unsupported_reason().empty()) row.reason = fields.unsupported_reason();
  row.samples = problem->batch;
  row.flop = 0;
  for (const auto pass : {kernels::AttentionPass::kForward, kernels::AttentionPass::kBackward}) {
    problem->pass = pass;
    *row.flop += kernels::attention_flop(*problem);
    if (fields.unsupported_reason().empty()) row.parts.push_back(attention_text(*problem));
  }
  return row;
}

class CsvList {
 public:
  CsvList(std::string_view text, const std::string& file_name, const ListNeeds& needs)
      : file_name_(file_name), table_(text, file_name), needs_(needs) {}

  std::vector<Workload> read() {
    for (files::CsvRow row; messages_.size() < kMostMessages && table_.next(row);)
      if (!row.text.empty() && !read_line(row)) break;
    if (header_.empty() && messages_.empty()) report(1, "header", "the file is empty");
    if (messages_.empty() && workloads_.empty()) report(1, "rows", "the list has none");
    if (messages_.size() >= kMostMessages) {
      messages_.push_back(file_name_ + ": further mistakes are not shown");
    }
    if (!messages_.empty()) throw InputError(std::move(messages_));
    return std::move(workloads_);
  }

 private:
  void report(int column, std::string_view what, const std::string& reason) {
    messages_.push_back(table_.mistake(column, what, reason));
  }

  void report(const std::vector<Complaint>& complaints) {
    for (const Complaint& complaint : complaints)
      report(complaint.column, complaint.what, complaint.reason);
  }

  /// False if nothing after this line can be understood.
  bool read_line(const files::CsvRow& line) {
    const std::vector<CsvField>& fields = line.fields;
    if (const auto mistake = files::quote_mistake(line)) {
      report(fields[mistake->field].column, header_.empty() ? "header" : name_of(mistake->field),
             std::string(mistake->reason));
      return !header_.empty();
    }
    if (header_.empty()) return read_header(fields);
    read_row(fields);
    return true;
  }

  [[nodiscard]] std::string name_of(std::size_t field) const {
    return field < header_.size() ? header_[field] : "row";
  }

  bool read_header(const std::vector<CsvField>& fields) {
    if (fields.size() > kMostColumns) {
      report(fields[kMostColumns].column, "header",
             "more than " + std::to_string(kMostColumns) + " columns");
      return false;
    }
    for (const CsvField& field : fields) {
      if (std::ranges::find(header_, field.text) != header_.end()) {
        report(field.column, "header", files::shown(field.text) + " is given twice");
      }
      header_.push_back(field.text);
    }
    // A column with its own meaning is not a misspelling of another.
    std::vector<std::string_view> known(kColumns.begin(), kColumns.end());
    known.insert(known.end(), needs_.columns.begin(), needs_.columns.end());
    const std::size_t first_optional = known.size();
    known.insert(known.end(), needs_.optional_columns.begin(), needs_.optional_columns.end());
    for (std::size_t c = 0; c < known.size(); ++c) {
      const bool is_needed = c != kDtypeIn && c != kDtypeAcc && c < first_optional;
      const std::string mistake = table_.column_mistake(fields, known[c], known, is_needed);
      if (!mistake.empty()) messages_.push_back(mistake);
    }
    for (std::size_t c = 0; c < kColumns.size(); ++c)
      position_[c] =
          static_cast<std::size_t>(std::ranges::find(header_, kColumns[c]) - header_.begin());
    return messages_.empty();
  }

  void read_row(const std::vector<CsvField>& fields) {
    if (fields.size() != header_.size()) {
      report(1, "row",
             std::to_string(fields.size()) + " fields, the header has " +
                 std::to_string(header_.size()));
      return;
    }
    if (rows_ >= static_cast<int>(kMostRows)) {
      if (!has_too_many_) report(1, "row", "more than 100000 rows; split the list");
      has_too_many_ = true;
      return;
    }
    Workload workload;
    workload.line = table_.line();
    workload.row = ++rows_;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (std::ranges::find(position_, i) == position_.end()) {
        workload.notes.push_back({header_[i], fields[i].text, fields[i].column});
      }
    }
    const std::size_t rows_before = workloads_.size();
    read_named_operation(fields, workload);
    if (needs_.complaints)
      report(needs_.complaints(workloads_.size() > rows_before ? workloads_.back() : workload));
  }

  void read_named_operation(const std::vector<CsvField>& fields, Workload workload) {
    const CsvField& op = fields[position_[kOp]];
    if (std::ranges::find(later_operations(), op.text) != later_operations().end()) {
      const CsvField& params = fields[position_[kParams]];
      AttentionFields attention;
      attention.set_pass(kernels::AttentionPass::kForward);  // no field names one
      for (const Field& field : operation_fields(fields, workload)) attention.set(field);
      workload.work = later_operation(op.text, attention, params.column);
      workload.text = op.text + ":" + params.text;
      report(attention.complaints());
      workloads_.push_back(std::move(workload));
      return;
    }
    std::vector<std::string_view> known = later_operations();
    bool is_known = false;
    visit_operations([&](const Operation& operation, const auto& make, auto text_of) {
      if (!operation.is_in_lists) return;
      known.push_back(operation.name);
      if (operation.name != op.text) return;
      is_known = true;
      read_operation(fields, workload, operation.words, make(), text_of);
    });
    if (is_known) return;
    const std::string near = files::did_you_mean(op.text, known);
    report(op.column, "op",
           fmt::format(
               "unknown operation {}{}", files::shown(op.text),
               near.empty() ? fmt::format(" (operations: {})", fmt::join(known, ", ")) : near));
  }

  /// The fields of the row's operation. The flags of the original library call describe the
  /// measurement, not the operands: they become a note.
  std::vector<Field> operation_fields(const std::vector<CsvField>& fields,
                                      Workload& workload) const {
    std::vector<Field> all;
    const auto add_type = [&](std::string_view key, Column column) {
      if (position_[column] >= fields.size()) return;  // the list lacks the column
      const CsvField& type = fields[position_[column]];
      if (!type.text.empty()) all.push_back({key, type.text, type.column, type.column});
    };
    add_type("dtype", kDtypeIn);
    add_type("acc", kDtypeAcc);
    const CsvField& params = fields[position_[kParams]];
    for (const Field& field : split_fields(params.text, ';', params.column)) {
      if (field.key == "blas")
        workload.notes.push_back({"blas", std::string(field.value), field.value_column});
      else
        all.push_back(field);
    }
    return all;
  }

  /// `words`: how parse_workload begins the operation of the row.
  template <typename Operation, typename Text>
  void read_operation(const std::vector<CsvField>& fields, Workload workload, std::string words,
                      Operation operation, Text text_of) {
    for (const Field& field : operation_fields(fields, workload)) {
      operation.set(field);
      words += std::string(words.ends_with(':') || words.ends_with(',') ? "" : ",") +
               std::string(field.key) + "=" + std::string(field.value);
    }
    const auto problem = operation.finish(fields[position_[kParams]].column);
    report(operation.complaints());
    if (!problem) return;
    workload.work = *problem;
    workload.text = text_of(*problem);
    if (!operation.unsupported_reason().empty()) {
      workload.work = Unsupported{fields[position_[kOp]].text, operation.unsupported_reason(),
                                  useful_flop(workload), samples(workload)};
      workload.text = std::move(words);
    }
    workloads_.push_back(std::move(workload));
  }

  const std::string& file_name_;
  files::CsvTable table_;
  const ListNeeds& needs_;
  std::vector<std::string> header_;
  std::array<std::size_t, kColumns.size()> position_{};
  std::vector<Workload> workloads_;
  std::vector<std::string> messages_;
  int rows_ = 0;
  bool has_too_many_ = false;
};

}  // namespace

const std::vector<std::string_view>& later_operations() {
  static const std::vector<std::string_view> all{"attention_fwd_bwd"};
  return all;
}

std::vector<Workload> read_csv_list(std::string_view text, const std::string& file_name,
                                    const ListNeeds& needs) {
  return CsvList(text, file_name, needs).read();
}

}  // namespace tcsim::workload
