// Vectors of our own, one file per machine, computed by vectors/generate.py with exact fractions.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "models/numerics/mma.hpp"
#include "tests/numerics/fast_element.hpp"
#include "tests/numerics/key_of.hpp"
#include "tests/numerics/vector_file.hpp"

namespace tcsim::numerics {
namespace {

namespace fs = std::filesystem;

/// `<generation>_<instruction>_<input>_<accumulator>`
Arithmetic arithmetic_of(const std::string& stem) {
  const std::vector<std::string> words = split(stem, '_');
  return find_arithmetic(key_of(generation_named(words.at(0)).value(),
                                instruction_kind_named(words.at(1)).value(),
                                element_type_named(words.at(2)).value(),
                                element_type_named(words.at(3)).value()))
      .value();
}

TEST(DirectedVectors, ThePlainAndTheFastPathReproduceEveryVector) {
  int files = 0;
  std::map<std::string, int> vectors;
  for (const auto& entry : fs::directory_iterator(TC_VECTOR_DIR)) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    const Arithmetic arithmetic = arithmetic_of(entry.path().stem().string());
    for (const VectorRow& row :
         read_vector_file(entry.path(), arithmetic.key.a, arithmetic.key.accumulator)) {
      ++vectors[row.category];
      EXPECT_EQ(mma(arithmetic, row.a, row.b, row.c), row.d)
          << entry.path().stem() << ' ' << row.category << std::hex << " c " << row.c;
      EXPECT_EQ(fast_element(arithmetic, row), row.d) << "fast path, " << entry.path().stem() << ' '
                                                      << row.category << std::hex << " c " << row.c;
    }
  }
  EXPECT_EQ(files, 16);
  int total = 0;
  for (const auto& [category, count] : vectors) {
    EXPECT_GE(count, 10) << category;
    total += count;
  }
  EXPECT_GE(total, 3000);
}

}  // namespace
}  // namespace tcsim::numerics
