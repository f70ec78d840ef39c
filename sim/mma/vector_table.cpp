#include "sim/mma/vector_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/files/line_reader.hpp"
#include "sim/mma/hex.hpp"
#include "sim/mma/position.hpp"
#include "sim/mma/refuse.hpp"

namespace tcsim::mma {

namespace {

using numerics::Arithmetic;
using numerics::ElementType;

Arithmetic saturating(Arithmetic arithmetic, bool saturate) {
  arithmetic.key.saturate = saturate;
  return arithmetic;
}

/// The same arithmetic on bits with another operation; refused if the generation lacks it.
Arithmetic with_operation(const Arithmetic& arithmetic, numerics::BitOperation operation) {
  numerics::ArithmeticKey key = arithmetic.key;
  key.bit_operation = operation;
  const auto found = numerics::find_arithmetic(key, arithmetic.undecided);
  if (!found.has_value()) refuse("mma check", found.refusal());
  return found.value();
}

}  // namespace

VectorTable::VectorTable(std::string file, const std::string& header, const Arithmetic& arithmetic)
    : file_(std::move(file)), arithmetic_(arithmetic) {
  const std::vector<Field> fields = split(header);
  column_count_ = fields.size();
  category_ = find_column(fields, "cat");
  a_ = find_column(fields, "a");
  b_ = find_column(fields, "b");
  c_ = find_column(fields, "c");
  for (const auto& [name, index] : {std::pair("a", a_), {"b", b_}, {"c", c_}})
    if (index < 0)
      throw UsageError(
          fmt::format("{}:1:1: no column '{}' in the header '{}'", file_, name, header));
  choose_results(fields);
  if (results_.empty())
    throw UsageError(fmt::format("{}:1:1: no result column (d) in the header '{}'", file_, header));
}

int VectorTable::find_column(const std::vector<Field>& header, std::string_view name) const {
  int found = -1;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i].text != name) continue;
    if (found >= 0)
      throw UsageError(fmt::format("{}: column '{}' is given twice",
                                   to_string(Position{file_, 1, header[i].column}), name));
    found = static_cast<int>(i);
  }
  return found;
}

void VectorTable::choose_results(const std::vector<Field>& header) {
  const bool integers = arithmetic_.scheme == numerics::Scheme::kInteger;
  const bool bits = arithmetic_.scheme == numerics::Scheme::kBits;
  for (const Field& field : header) {
    const std::string name(field.text);
    const auto add = [&](const Arithmetic& arithmetic) {
      results_.push_back({name, arithmetic});
      result_columns_.push_back(find_column(header, name));
    };
    if (name == "d") add(arithmetic_);
    if (integers && name == "d_wrap") add(saturating(arithmetic_, false));
    if (integers && name == "d_satfinite") add(saturating(arithmetic_, true));
    if (bits && name == "d_xor_popc")
      add(with_operation(arithmetic_, numerics::BitOperation::kXor));
    if (bits && name == "d_and_popc")
      add(with_operation(arithmetic_, numerics::BitOperation::kAnd));
  }
}

std::vector<VectorTable::Field> VectorTable::split(const std::string& row) const {
  std::vector<Field> fields;
  const std::string_view text(row);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    fields.push_back({text.substr(begin, comma - begin), static_cast<int>(begin) + 1});
    begin = comma + 1;
  }
  return fields;
}

std::vector<std::uint64_t> VectorTable::patterns(const Field& field, int line,
                                                 ElementType type) const {
  auto parsed = parse_hex(field.text, numerics::bits(type));
  if (const auto* error = std::get_if<HexError>(&parsed))
    throw UsageError(fmt::format(
        "{}: {} of {}",
        to_string(Position{file_, line, field.column + static_cast<int>(error->offset)}),
        error->reason, numerics::name(type)));
  return std::get<std::vector<std::uint64_t>>(std::move(parsed));
}

std::size_t VectorTable::wrapped_result() const {
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (!results_[i].arithmetic.key.saturate) return i;
  throw UsageError(file_ + ": has saturated results alone; the sums of the units wrap");
}

std::uint64_t VectorTable::pattern(const Field& field, int line) const {
  const ElementType type = arithmetic_.key.accumulator;
  const auto all = patterns(field, line, type);
  if (all.size() == 1) return all[0];
  throw UsageError(fmt::format("{}: '{}' holds {} elements of {}; give one",
                               to_string(Position{file_, line, field.column}), field.text,
                               all.size(), numerics::name(type)));
}

Expected VectorTable::expected(const Field& field, int line) const {
  if (arithmetic_.key.accumulator == ElementType::kFp64 && field.text == "nan") return {0, true};
  return {pattern(field, line), false};
}

Vector VectorTable::parse(const std::string& row, int line) const {
  const std::vector<Field> fields = split(row);
  if (fields.size() != column_count_)
    throw UsageError(fmt::format("{}: {} fields; the header has {}",
                                 to_string(Position{file_, line, 1}), fields.size(),
                                 column_count_));
  Vector vector;
  vector.line = line;
  vector.category = category_ < 0 ? "all" : std::string(fields[category_].text);
  vector.a = patterns(fields[a_], line, arithmetic_.key.a);
  vector.b = patterns(fields[b_], line, arithmetic_.key.b);
  vector.c = pattern(fields[c_], line);
  for (const int column : result_columns_) vector.d.push_back(expected(fields[column], line));
  if (vector.a.size() != vector.b.size())
    throw UsageError(fmt::format("{}: b has {} elements, a has {}",
                                 to_string(Position{file_, line, fields[b_].column}),
                                 vector.b.size(), vector.a.size()));
  return vector;
}

void for_each_vector(const std::string& file, const Arithmetic& arithmetic,
                     const std::function<void(const VectorTable&, const Vector&)>& take) {
  files::LineReader lines(files::open_file(file, files::FileKind::kVectors), file);
  std::string_view line;
  if (!lines.next(line)) throw UsageError(file + ":1:1: the file is empty");
  const VectorTable table(file, std::string(line), arithmetic);
  bool is_empty = true;
  while (lines.next(line)) {
    if (line.empty()) continue;
    is_empty = false;
    take(table, table.parse(std::string(line), static_cast<int>(lines.number())));
  }
  if (is_empty) throw UsageError(file + ":2:1: no vectors after the header");
}

}  // namespace tcsim::mma
