#include "sim/labs/grade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/config/error.hpp"
#include "sim/labs/grade_text.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::labs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Grading : public ::testing::Test {
 protected:
  Grading() {
    lab_.number = 1;
    lab_.title = "Test";
    lab_.questions = {
        {.id = "peak", .ask = "?", .unit = "TFLOPS", .points = 3, .tolerance_percent = 1},
        {.id = "count", .ask = "?", .unit = "SMs", .points = 1},
        {.id = "bound", .ask = "?", .unit = "word", .points = 1, .words = {"l2", "dram"}},
        {.id = "why", .ask = "?", .points = 5, .written = true}};
    solution_.measures = {{"rate", "peak a100 @n@", "/rate"},
                          {"limit", "peak a100 @n@", "/limit"},
                          {"mine", "peak a100 --set {file:set.txt}", "/rate"}};
    solution_.answers = {
        {"peak", "2 * rate", "", ""}, {"count", "n", "", ""}, {"bound", "", "", "limit"}};
    solution_.checks = {{"a faster machine", 2, "mine > rate"}};
    std::ofstream("set.txt") << "a=b\n";
  }
  Grade grade_of(const std::string& rows) {
    std::ofstream("answers.csv") << "question,value,unit,what\n" << rows;
    return grade(lab_, solution_, ".", "ada", {{"n", 108}},
                 [this](const std::vector<std::string>& arguments) {
                   ++runs_;
                   if (arguments.back() == "a=b") return std::string(R"({"rate": 90})");
                   if (arguments.back() == "108") {
                     return std::string(R"({"rate": 50, "limit": "dram"})");
                   }
                   throw CommandFailed("tcsim: no");
                 });
  }

  Lab lab_;
  Solution solution_;
  int runs_ = 0;
  cli::TemporaryHome home_;
};

TEST_F(Grading, RightAnswersGetFullMarks) {
  const Grade grade = grade_of("peak,100,TFLOPS\ncount,108,SMs\nbound,dram,word\n");
  EXPECT_EQ(grade.points(), 7);
  EXPECT_EQ(grade.most(), 7);
  EXPECT_EQ(runs_, 2);  // one command for two measures
}

TEST_F(Grading, ABlankSheetGetsNoneButForTheFilesHandedIn) {
  std::ofstream("set.txt") << "";
  const Grade grade = grade_of("peak,,\ncount,,\nbound,,\n");
  EXPECT_EQ(grade.points(), 0);
  EXPECT_THAT(grade_table(grade, false), HasSubstr("set.txt: not handed in, or empty"));
}

TEST_F(Grading, ToleranceEndsWhereItSays) {
  EXPECT_EQ(grade_of("peak,101,TFLOPS\n").marks[0].points, 3);
  EXPECT_EQ(grade_of("peak,99,TFLOPS\n").marks[0].points, 3);
  EXPECT_EQ(grade_of("peak,101.01,TFLOPS\n").marks[0].points, 0);
  EXPECT_EQ(grade_of("count,108.1,SMs\n").marks[1].points, 0);
}

TEST_F(Grading, AWrongUnitIsToldAsSuchAndGetsNothing) {
  const Mark mark = grade_of("peak,100,GFLOPS\n").marks[0];
  EXPECT_EQ(mark.points, 0);
  EXPECT_THAT(mark.reason, HasSubstr("wrong unit: 'GFLOPS' where the sheet asks for 'TFLOPS'"));
}

TEST_F(Grading, NeverTellsTheValueUnlessAsked) {
  const Grade grade = grade_of("peak,7,TFLOPS\ncount,7,SMs\nbound,l2,word\n");
  EXPECT_THAT(grade_table(grade, false), Not(HasSubstr("expected 100")));
  EXPECT_THAT(grade_table(grade, true), HasSubstr("expected 100 TFLOPS"));
  EXPECT_THAT(gradescope_json(grade), Not(HasSubstr("100")));
  EXPECT_THAT(grade_csv(grade), Not(HasSubstr("100")));
}

TEST_F(Grading, WritesWhatCoursePlatformsRead) {
  const auto json = nlohmann::json::parse(gradescope_json(grade_of("peak,100,TFLOPS\n")));
  ASSERT_EQ(json["tests"].size(), 5U);
  EXPECT_EQ(json["tests"][0]["score"], 3);
  EXPECT_EQ(json["tests"][0]["max_score"], 3);
  EXPECT_EQ(json["tests"][0]["visibility"], "visible");
  EXPECT_EQ(json["tests"][3]["max_score"], 0);  // graded by hand
}

TEST_F(Grading, AFailingCommandOfTheStudentIsTheReason) {
  std::ofstream("set.txt") << "nonsense\n";
  const Grade grade = grade_of("peak,100,TFLOPS\n");
  EXPECT_EQ(grade.marks.back().points, 0);
  EXPECT_EQ(grade.marks.back().reason, "tcsim: no");
  EXPECT_EQ(grade.marks[0].points, 3);
}

TEST_F(Grading, AMistakeOfTheSolutionIsTheInstructors) {
  solution_.answers.pop_back();
  EXPECT_THROW(grade_of(""), config::ConfigError);
  solution_.answers.push_back({"bound", "1 +", "", ""});
  EXPECT_THROW(grade_of("bound,l2,word\n"), config::ConfigError);
}

}  // namespace
}  // namespace tcsim::labs
