// Replays operand and result bits measured on real GPUs.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "models/numerics/fast_mma.hpp"
#include "models/numerics/mma.hpp"
#include "tests/numerics/fast_element.hpp"
#include "tests/numerics/vector_file.hpp"
#include "tests/support/measured_vectors.hpp"

namespace tcsim::numerics {
namespace {

namespace fs = std::filesystem;

/// `<gpu>_<instruction>_<input>_<accumulator>_k<K>`; mma_emulated and mma_sp have one word more.
ArithmeticKey key_of(const std::string& stem) {
  std::vector<std::string> words = split(stem, '_');
  const bool emulated = words[2] == "emulated";
  if (emulated || words[2] == "sp") words.erase(words.begin() + 2);
  ArithmeticKey key;
  key.generation = words[0] == "v100"                        ? Generation::kVolta
                   : words[0] == "a100"                      ? Generation::kAmpere
                   : words[0] == "ada" || words[0] == "l40s" ? Generation::kAda
                                                             : Generation::kHopper;
  key.kind = instruction_kind_named(words[1]).value();
  key.a = key.b = element_type_with_ptx_name(words[2]).value();
  key.accumulator = element_type_with_ptx_name(words[3]).value();
  key.m8n8k4 = emulated && key.a == ElementType::kFp16;
  return key;
}

bool is_reproduced(const Arithmetic& arithmetic, const VectorRow& row) {
  if (mma(arithmetic, row.a, row.b, row.c) != row.d) return false;
  if (fast_path_covers(arithmetic)) return fast_element(arithmetic, row) == row.d;
  if (!row.d_satfinite) return true;
  Arithmetic clamping = arithmetic;
  clamping.key.saturate = true;
  return mma(clamping, row.a, row.b, row.c) == *row.d_satfinite;
}

struct Replayed {
  int files = 0;
  std::size_t vectors = 0;
};

/// Replays every file of the folder whose name ends with `ending`.
Replayed replay(const fs::path& folder, const std::string& ending) {
  Replayed replayed;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(ending)) continue;
    const std::string stem = name.substr(0, name.size() - ending.size());
    const Arithmetic arithmetic = find_arithmetic(key_of(stem)).value();
    const auto rows = read_vector_file(entry.path(), arithmetic.key.a, arithmetic.key.accumulator);
    for (const VectorRow& row : rows)
      EXPECT_TRUE(is_reproduced(arithmetic, row))
          << stem << ' ' << row.category << std::hex << " c " << row.c << " d " << row.d;
    replayed.vectors += rows.size();
    ++replayed.files;
  }
  return replayed;
}

TEST(MeasuredGpu, EveryRecordedResultIsReproduced) {
  const fs::path folder = test::measured_vectors_folder();
  if (!fs::is_directory(folder)) GTEST_SKIP() << test::how_to_get_vectors(folder);
  const Replayed replayed = replay(folder, ".csv.gz");
  EXPECT_GE(replayed.files, 36);
  EXPECT_GE(replayed.vectors, 36000U);
}

TEST(MeasuredGpu, WhatAnH200ReturnedIsReproduced) {
  const Replayed replayed = replay(TC_MEASURED_DIR, ".csv");
  EXPECT_EQ(replayed.files, 25);
  EXPECT_GE(replayed.vectors, 2000U);
}

}  // namespace
}  // namespace tcsim::numerics
