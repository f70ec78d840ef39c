#include "sim/results/dictionary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/fake_gpu.hpp"

namespace tcsim::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<DictionaryEntry> fake_dictionary() {
  const report::FakeGpu gpu;
  return dictionary(stats::summarize(gpu.root()));
}

TEST(Dictionary, FindsNamesInAFormulaAndNoNumbers) {
  EXPECT_THAT(names_in("flop / max(l2_slice.l2_hits * 1000, flop)"),
              ElementsAre("flop", "l2_slice.l2_hits"));
}

TEST(Dictionary, KnowsEveryNameOfEveryFormula) {
  const std::vector<DictionaryEntry> entries = fake_dictionary();
  for (const DictionaryEntry& entry : entries) {
    for (const std::string& name : names_in(entry.formula))
      EXPECT_NE(find_entry(entries, name), nullptr) << entry.name << " names " << name;
  }
}

TEST(Dictionary, HasEachNameOnceWithUnitAndSentence) {
  const std::vector<DictionaryEntry> entries = fake_dictionary();
  for (const DictionaryEntry& entry : entries) {
    EXPECT_EQ(find_entry(entries, entry.name), &entry) << entry.name;
    EXPECT_FALSE(entry.unit.empty()) << entry.name;
    EXPECT_FALSE(entry.sentence.empty()) << entry.name;
  }
}

TEST(Dictionary, ExplainsAMetricDownToCounters) {
  const std::vector<DictionaryEntry> entries = fake_dictionary();
  const std::string text = entry_text(*find_entry(entries, "l1_energy_j"), entries);
  EXPECT_THAT(text, HasSubstr("= sm_memory_bytes * l1_pj_per_byte / 1000000000000"));
  EXPECT_THAT(text, HasSubstr("memory_pipeline.memory_pipeline_busy_cycles  counter"));
}

}  // namespace
}  // namespace tcsim::results
