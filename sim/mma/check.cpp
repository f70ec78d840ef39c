#include "sim/mma/check.hpp"

#include <fmt/ostream.h>

#include <map>
#include <vector>

#include "models/numerics/mma.hpp"
#include "sim/errors/errors.hpp"
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

}  // namespace

bool check(const CheckOptions& options, std::ostream& out) {
  const numerics::Arithmetic arithmetic = find_arithmetic(options.arithmetic);
  if (options.file.empty())
    throw UsageError("mma check: no file; write tcsim mma check --arch A --dtype D FILE");
  CheckTally tally;
  for_each_vector(options.file, arithmetic, [&](const VectorTable& table, const Vector& vector) {
    replay(table, vector, options.file, tally);
  });
  print(options.file, tally, out);
  return tally.all.mismatches == 0;
}

}  // namespace tcsim::mma
