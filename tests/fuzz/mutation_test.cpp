#include "tests/fuzz/mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>

#include "tests/fuzz/refusal.hpp"
#include "tests/fuzz/watch.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::fuzz {
namespace {

/// What the command line asks for.
struct Wanted {
  std::string reader;          ///< this one alone; empty: all
  std::uint32_t inputs = 200;  ///< of each reader
  std::uint32_t first = 0;
  std::uint32_t seed = 20240601;
  bool show = false;  ///< print each input before it is read
};
Wanted& wanted() {
  static Wanted value;
  return value;
}

constexpr std::uint32_t kEnoughToCount = 5000;
constexpr std::int64_t kMostBytes = std::int64_t{512} << 20;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The files of tests/fuzz/corpus/READER, inputs that failed once, by name.
std::vector<std::string> corpus_of(const Target& target) {
  const std::filesystem::path folder = std::filesystem::path(TC_FUZZ_CORPUS) / target.name;
  std::set<std::filesystem::path> files;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files.insert(entry.path());
  std::vector<std::string> inputs;
  for (const auto& file : files) inputs.push_back(test::text_of(file));
  return inputs;
}

std::vector<std::string> starts_of(const Target& target) {
  std::vector<std::string> starts = target.seeds();
  std::ranges::move(corpus_of(target), std::back_inserter(starts));
  return starts;
}

class MutatedInput : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    if (!wanted().reader.empty() && wanted().reader != GetParam().name)
      GTEST_SKIP() << "not the reader asked for with --reader";
  }
};

TEST_P(MutatedInput, IsAcceptedOrRefusedInOrder) {
  const Target& target = GetParam();
  const std::vector<std::string> starts = starts_of(target);
  Watch watch(target.name);
  std::uint32_t accepted = 0;
  for (std::uint32_t i = wanted().first; i < wanted().first + wanted().inputs; ++i) {
    const std::string input = mutated(target, starts, wanted().seed, i);
    if (wanted().show) std::cout << input << '\n';
    watch.next(i);
    const auto repeat = [&] {
      return "; repeat it with --reader " + std::string(target.name) + " --inputs 1 --first " +
             std::to_string(i) + " --seed " + std::to_string(wanted().seed);
    };
    try {
      accepted += target.run(bytes_of(input)) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << "input " << i << ": " << error.what() << repeat();
    }
    ASSERT_LE(watch.grown_bytes(), kMostBytes) << "input " << i << repeat();
  }
  RecordProperty("accepted", static_cast<int>(accepted));
  if (wanted().inputs < kEnoughToCount) return;
  EXPECT_GT(accepted, wanted().inputs / 200) << "too few inputs get past the first checks";
  EXPECT_LT(accepted, wanted().inputs / 200 * 199) << "too few inputs are wrong";
}

TEST_P(MutatedInput, StartsFromAcceptedSeeds) {
  int accepted = 0;
  for (const std::string& seed : GetParam().seeds()) accepted += GetParam().run(bytes_of(seed));
  EXPECT_GT(accepted, 0) << last_refusal();
}

TEST_P(MutatedInput, ThatFailedOnceDoesNotFailAgain) {
  Watch watch(GetParam().name);
  std::uint32_t index = 0;
  for (const std::string& input : corpus_of(GetParam())) {
    watch.next(index++);
    EXPECT_NO_THROW((void)GetParam().run(bytes_of(input))) << input.substr(0, 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, MutatedInput,
                         ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

bool read_number(const std::string& text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// False if a word is none of ours.
bool read_words(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--show") {
      wanted().show = true;
      continue;
    }
    if (i + 1 == words.size()) return false;
    const std::string& value = words[i + 1];
    const bool is_read = words[i] == "--reader"   ? !(wanted().reader = value).empty()
                         : words[i] == "--inputs" ? read_number(value, wanted().inputs)
                         : words[i] == "--first"  ? read_number(value, wanted().first)
                         : words[i] == "--seed"   ? read_number(value, wanted().seed)
                                                  : false;
    if (!is_read) return false;
    ++i;
  }
  return wanted().reader.empty() || std::ranges::any_of(targets(), [](const Target& target) {
           return target.name == wanted().reader;
         });
}

}  // namespace
}  // namespace tcsim::fuzz

int main(int argc, char* argv[]) {
  ::testing::InitGoogleTest(&argc, argv);  // takes its own words away
  if (tcsim::fuzz::read_words({argv + 1, argv + argc})) return RUN_ALL_TESTS();
  std::cerr << "usage: fuzz_test [--reader NAME] [--inputs N] [--first N] [--seed N] [--show]\n"
               "readers:";
  for (const auto& target : tcsim::fuzz::targets()) std::cerr << ' ' << target.name;
  std::cerr << '\n';
  return 2;
}
