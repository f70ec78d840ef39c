// Replays operand and result bits measured on real GPUs.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "models/numerics/mma.hpp"
#include "tests/numerics/vector_file.hpp"
#include "tests/support/measured_vectors.hpp"

namespace tcsim::numerics {
namespace {

namespace fs = std::filesystem;

/// `<gpu>_<instruction>_<input>_<accumulator>_k<K>`; mma_emulated and mma_sp have one word more.
ArithmeticKey key_of(const std::string& stem) {
  std::vector<std::string> words = split(stem, '_');
  if (words[2] == "emulated" || words[2] == "sp") words.erase(words.begin() + 2);
  ArithmeticKey key;
  key.generation = words[0] == "v100"                        ? Generation::kVolta
                   : words[0] == "a100"                      ? Generation::kAmpere
                   : words[0] == "ada" || words[0] == "l40s" ? Generation::kAda
                                                             : Generation::kHopper;
  key.kind = instruction_kind_named(words[1]).value();
  key.a = key.b = element_type_with_ptx_name(words[2]).value();
  key.accumulator = element_type_with_ptx_name(words[3]).value();
  return key;
}

TEST(MeasuredGpu, EveryRecordedResultIsReproduced) {
  const fs::path folder = test::measured_vectors_folder();
  if (!fs::is_directory(folder)) GTEST_SKIP() << test::how_to_get_vectors(folder);
  int files = 0;
  std::size_t vectors = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const std::string stem = entry.path().stem().stem().string();
    const Arithmetic arithmetic = find_arithmetic(key_of(stem)).value();
    const auto rows = read_vector_file(entry.path(), arithmetic.key.a, arithmetic.key.accumulator);
    int mismatches = 0;
    for (const VectorRow& row : rows)
      mismatches += mma(arithmetic, row.a, row.b, row.c) == row.d ? 0 : 1;
    EXPECT_EQ(mismatches, 0) << stem;
    vectors += rows.size();
    ++files;
  }
  EXPECT_GE(files, 36);
  EXPECT_GE(vectors, 36000U);
}

}  // namespace
}  // namespace tcsim::numerics
