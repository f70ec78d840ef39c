#include "sim/mma/check.hpp"

#include <fmt/ostream.h>

#include <map>
#include <vector>

#include "models/numerics/mma.hpp"
#include "sim/files/line_reader.hpp"
#include "sim/mma/hex.hpp"
#include "sim/mma/vector_table.hpp"

namespace tcsim::mma {

namespace {

constexpr int kShownMismatches = 5;

struct Category {
  int vectors = 0;
  int mismatches = 0;
};

struct CheckTally {
  Category all;
  std::map<std::string, Category> categories;
  std::vector<std::string> shown;
};

bool agrees(const numerics::Arithmetic& arithmetic, std::uint64_t d, const Expected& expected) {
  if (!expected.any_nan) return d == expected.pattern;
  const auto& format = numerics::format_of(arithmetic.key.accumulator);
  return numerics::decode(format, d).value_class == numerics::ValueClass::kNan;
}

void replay(const VectorTable& table, const Vector& vector, const std::string& file,
            CheckTally& tally) {
  bool same = true;
  for (std::size_t i = 0; i < table.results().size(); ++i) {
    const ResultColumn& column = table.results()[i];
    const std::uint64_t d = numerics::mma(column.arithmetic, vector.a, vector.b, vector.c);
    if (agrees(column.arithmetic, d, vector.d[i])) continue;
    if (same && tally.all.mismatches < kShownMismatches) {
      const int width = numerics::bits(column.arithmetic.key.accumulator);
      const std::string wanted = vector.d[i].any_nan ? "nan" : to_hex(vector.d[i].pattern, width);
      tally.shown.push_back(fmt::format("{}:{}: {}: {} expected {}, computed {}", file, vector.line,
                                        vector.category, column.name, wanted, to_hex(d, width)));
    }
    same = false;
  }
  for (Category* category : {&tally.all, &tally.categories[vector.category]}) {
    ++category->vectors;
    category->mismatches += same ? 0 : 1;
  }
}

void print(const std::string& file, const CheckTally& tally, std::ostream& out) {
  fmt::print(out, "{}: {} vectors, {} mismatches\n", file, tally.all.vectors, tally.all.mismatches);
  for (const auto& [name, category] : tally.categories)
    fmt::print(out, "  {}: {} vectors, {} mismatches\n", name, category.vectors,
               category.mismatches);
  for (const std::string& line : tally.shown) fmt::print(out, "{}\n", line);
}

Status check(const CheckOptions& options, std::ostream& out) {
  const numerics::Arithmetic arithmetic = find_arithmetic(options.arithmetic);
  if (options.file.empty())
    throw InputError(kMistake, "mma check: no file; write tcsim mma check --arch A --dtype D FILE");
  files::LineReader lines(files::open_file(options.file, files::FileKind::kVectors), options.file);
  std::string_view line;
  if (!lines.next(line)) throw InputError(kMistake, options.file + ":1:1: the file is empty");
  const VectorTable table(options.file, std::string(line), arithmetic);
  CheckTally tally;
  while (lines.next(line))
    if (!line.empty())
      replay(table, table.parse(std::string(line), static_cast<int>(lines.number())), options.file,
             tally);
  if (tally.all.vectors == 0)
    throw InputError(kMistake, options.file + ":2:1: no vectors after the header");
  print(options.file, tally, out);
  return tally.all.mismatches == 0 ? kAgrees : kMismatch;
}

}  // namespace

int run_mma_check(const CheckOptions& options, std::ostream& out, std::ostream& errors) {
  return status_of([&] { return check(options, out); }, errors);
}

}  // namespace tcsim::mma
