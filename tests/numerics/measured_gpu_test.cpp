// Replays operand and result bits measured on real GPUs. The data are not part of the repository;
// the folder is TC_REFERENCE_DIR/real_gpu_numerics or ../shared/reference/real_gpu_numerics beside
// it.

#include <gtest/gtest.h>
#include <zlib.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "models/numerics/mma.hpp"

namespace tcsim::numerics {
namespace {

namespace fs = std::filesystem;

fs::path data_folder() {
  const char* set = std::getenv("TC_REFERENCE_DIR");
  const fs::path root = set != nullptr ? fs::path(set) : fs::path(TC_DEFAULT_REFERENCE_DIR);
  return root / "real_gpu_numerics";
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return lines;
  char buffer[4096];
  while (gzgets(file, buffer, sizeof buffer) != nullptr) {
    std::string line(buffer);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    lines.push_back(line);
  }
  gzclose(file);
  return lines;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char letter : text)
    if (letter == separator)
      words.emplace_back();
    else
      words.back() += letter;
  return words;
}

std::vector<std::uint64_t> patterns(const std::string& digits, int bits_each) {
  const std::size_t width = static_cast<std::size_t>(bits_each) / 4;
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at + width <= digits.size(); at += width) {
    std::uint64_t value = 0;
    std::from_chars(digits.data() + at, digits.data() + at + width, value, 16);
    values.push_back(value);
  }
  return values;
}

ElementType type_word(const std::string& word) { return *element_type_with_ptx_name(word); }

/// `<gpu>_<instruction>_<input>_<accumulator>_k<K>`; mma_emulated has one word more.
ArithmeticKey key_of(const std::string& stem) {
  std::vector<std::string> words = split(stem, '_');
  if (words[2] == "emulated") words.erase(words.begin() + 2);
  ArithmeticKey key;
  key.generation = words[0] == "v100"                        ? Generation::kVolta
                   : words[0] == "a100"                      ? Generation::kAmpere
                   : words[0] == "ada" || words[0] == "l40s" ? Generation::kAda
                                                             : Generation::kHopper;
  key.kind = *instruction_kind_named(words[1]);
  key.a = key.b = type_word(words[2]);
  key.accumulator = type_word(words[3]);
  return key;
}

TEST(MeasuredGpu, EveryRecordedResultIsReproduced) {
  const fs::path folder = data_folder();
  if (!fs::is_directory(folder)) GTEST_SKIP() << folder << " is not there";
  int files = 0;
  int vectors = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    const std::string stem = entry.path().stem().stem().string();
    const Arithmetic arithmetic = find_arithmetic(key_of(stem)).value();
    const std::vector<std::string> lines = read_lines(entry.path());
    ASSERT_FALSE(lines.empty()) << entry.path();
    ASSERT_EQ(lines[0], "cat,a,b,c,d");
    int mismatches = 0;
    for (std::size_t row = 1; row < lines.size(); ++row) {
      const std::vector<std::string> fields = split(lines[row], ',');
      const int input_bits = bits(arithmetic.key.a);
      const int result_bits = bits(arithmetic.key.accumulator);
      const std::uint64_t d =
          mma(arithmetic, patterns(fields[1], input_bits), patterns(fields[2], input_bits),
              patterns(fields[3], result_bits)[0]);
      mismatches += d == patterns(fields[4], result_bits)[0] ? 0 : 1;
      ++vectors;
    }
    EXPECT_EQ(mismatches, 0) << stem;
    ++files;
  }
  EXPECT_GE(files, 36);
  EXPECT_GE(vectors, 36000);
}

}  // namespace
}  // namespace tcsim::numerics
