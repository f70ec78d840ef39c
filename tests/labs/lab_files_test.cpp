#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/labs/lab.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/labs/solution.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::labs {
namespace {

using ::testing::HasSubstr;

std::vector<Lab> shipped() { return read_labs(files::data_folder("docs/labs")); }

TEST(LabFiles, AreTheTenOfTheCourse) {
  const std::vector<Lab> labs = shipped();
  ASSERT_EQ(labs.size(), 10U);
  for (std::size_t i = 0; i < labs.size(); ++i) EXPECT_EQ(labs[i].number, static_cast<int>(i) + 1);
}

TEST(LabFiles, TheBlankSheetIsThatOfTheQuestions) {
  for (const Lab& lab : shipped())
    EXPECT_EQ(cli::text_of(lab.folder / "answers.csv"), blank_sheet(lab, {})) << lab.folder;
}

TEST(LabFiles, AtMostSixtyPercentOfThePointsAreAutomatic) {
  for (const Lab& lab : shipped()) {
    double automatic = 0;
    double all = 0;
    for (const Question& question : lab.questions) {
      all += question.points;
      if (!question.written) automatic += question.points;
    }
    for (const Check& check :
         read_solution(files::data_folder("labs-instructor") / lab.folder.filename()).checks) {
      automatic += check.points;
      all += check.points;
    }
    EXPECT_LE(automatic, 0.6 * all) << "lab " << lab.number << ": " << automatic << " of " << all;
  }
}

TEST(LabFiles, EveryQuestionHasAnAnswerAndNoOther) {
  for (const Lab& lab : shipped()) {
    const Solution solution =
        read_solution(files::data_folder("labs-instructor") / lab.folder.filename());
    std::set<std::string> answered;
    for (const Expected& expected : solution.answers) answered.insert(expected.id);
    for (const Question& question : lab.questions)
      EXPECT_EQ(answered.erase(question.id), question.written ? 0U : 1U)
          << lab.number << " " << question.id;
    EXPECT_TRUE(answered.empty()) << "lab " << lab.number;
  }
}

TEST(LabFiles, NameTheirMistakes) {
  const cli::TemporaryHome home;
  std::ofstream("lab.yaml")
      << "lab: 1\ntitel: x\ngoal: y\nfigure: f\n"
         "questions:\n  - {id: a, ask: b, units: c}\n  - {id: a, ask: b, unit: c}\n";
  try {
    read_lab(".");
    FAIL();
  } catch (const config::ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("titel: unknown key; did you mean \"title\"?"));
    EXPECT_THAT(error.what(), HasSubstr("title: missing"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"unit\"?"));
    EXPECT_THAT(error.what(), HasSubstr("two are called a"));
  }
}

}  // namespace
}  // namespace tcsim::labs
