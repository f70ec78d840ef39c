#include "sim/labs/grade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/labs/grade_text.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::labs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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
    Outputs outputs;
    return grade(lab_, solution_, Submission("."), "ada", {{"n", 108}}, outputs,
                 [this](const Job& job) {
                   ++runs_;
                   EXPECT_EQ(job.is_students, job.arguments[2] == "--set");
                   if (job.arguments.back() == "a=b") return students_output_;
                   if (job.arguments.back() == "108") {
                     return std::string(R"({"rate": 50, "limit": "dram"})");
                   }
                   throw CommandFailed("no");
                 });
  }

  Lab lab_;
  Solution solution_;
  std::string students_output_ = R"({"rate": 90})";
  int runs_ = 0;
  cli::TemporaryHome home_;
};

TEST_F(Grading, RightAnswersGetFullMarks) {
  const Grade grade = grade_of("peak,100,TFLOPS\ncount,108,SMs\nbound,dram,word\n");
  EXPECT_EQ(grade.points(), 7);
  EXPECT_EQ(grade.most(), 7);
  EXPECT_EQ(runs_, 2);  // one command for two measures
}

TEST_F(Grading, ANumberMayHaveASign) {
  EXPECT_EQ(grade_of("peak,+100,TFLOPS\n").marks[0].points, 3);
  EXPECT_EQ(grade_of("peak,-100,TFLOPS\n").marks[0].points, 0);
}

TEST_F(Grading, ABlankSheetGetsNoneButForTheFilesHandedIn) {
  std::ofstream("set.txt") << "";
  const Grade grade = grade_of("peak,,\ncount,,\nbound,,\n");
  EXPECT_EQ(grade.points(), 0);
  EXPECT_THAT(grade_table(grade, false),
              HasSubstr("set.txt: its first line is not a setting KEY=VALUE"));
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
  EXPECT_EQ(mark.reason, "wrong unit: the sheet asks for 'TFLOPS'");
}

TEST_F(Grading, NeverTellsTheValueUnlessAsked) {
  const Grade grade = grade_of("peak,7,TFLOPS\ncount,7,SMs\nbound,l2,word\n");
  EXPECT_THAT(grade_table(grade, false), Not(HasSubstr("expected 100")));
  EXPECT_THAT(grade_table(grade, true), HasSubstr("expected 100 TFLOPS"));
  EXPECT_THAT(gradescope_json(grade), Not(HasSubstr("100")));
  EXPECT_THAT(grade_csv(grade), Not(HasSubstr("100")));
}

TEST_F(Grading, TheExpectedNumberIsPrintedAsItIsAskedFor) {
  lab_.questions[0].unit = "1";
  solution_.answers[0].value = "3 * 139.3";
  EXPECT_EQ(grade_of("").marks[0].expected, "417.9");
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
  std::ofstream("set.txt") << "no=good\n";
  const Grade grade = grade_of("peak,100,TFLOPS\n");
  EXPECT_EQ(grade.marks.back().points, 0);
  EXPECT_EQ(grade.marks.back().reason, "set.txt: no");
  EXPECT_EQ(grade.marks[0].points, 3);
}

TEST_F(Grading, ACommandOnSeveralFilesThatFailsNamesThemAll) {
  solution_.measures.back().command += " --set {file:other.txt}";
  std::ofstream("other.txt") << "no=good\n";
  EXPECT_EQ(grade_of("").marks.back().reason, "set.txt, other.txt: no");
  std::ofstream("set.txt") << "";
  EXPECT_EQ(grade_of("").marks.back().reason, "set.txt: its first line is not a setting KEY=VALUE");
}

TEST_F(Grading, AWordThatTheStudentsFilesDoNotGiveCannotBeCompared) {
  solution_.answers.back() = {"bound", "", "", "mine"};
  solution_.measures[1].at = "/rate";
  const auto reason = [this] { return grade_of("bound,l2,word\n").marks[2].reason; };
  EXPECT_EQ(reason(), "cannot be compared: set.txt: tcsim gives no result for it");  // a number
  std::ofstream("set.txt") << "no=good\n";
  EXPECT_EQ(reason(), "cannot be compared: set.txt: no");
}

TEST_F(Grading, WhatDoesNotFollowFromTheStudentsFilesCostsTheirPointsAlone) {
  solution_.answers[0].value = "100 / mine";
  solution_.checks[0].condition = "1 / mine";
  students_output_ = R"({"rate": 0})";
  const Grade grade = grade_of("peak,100,TFLOPS\ncount,108,SMs\n");
  EXPECT_EQ(grade.marks[0].points, 0);
  EXPECT_EQ(grade.marks[0].reason,
            "cannot be compared: no number follows from what tcsim gives for the files handed in");
  EXPECT_EQ(grade.marks.back().points, 0);
  EXPECT_EQ(grade.marks.back().reason,
            "no number follows from what tcsim gives for the files handed in");
  EXPECT_EQ(grade.marks[1].points, 1);
  solution_.answers[0] = {"peak", "100 / (rate - rate)", "", "", "s/solution.yaml:7:5"};
  EXPECT_EQ(test::refusal([this] { return grade_of(""); }),
            "s/solution.yaml:7:5: answers.peak: '100 / (rate - rate)' is not finite");
}

TEST_F(Grading, ASettingMayFollowAByteOrderMark) {
  std::ofstream("set.txt") << "\xEF\xBB\xBF"
                           << "a=b\n";
  EXPECT_EQ(grade_of("").marks.back().reason, "met");
}

TEST_F(Grading, AMeasureOnAFileOfTheLabUsesTheStudentsNumbers) {
  std::filesystem::create_directory("lab");
  std::ofstream("lab/kernel.tct") << "loop i0 < @n@\n";
  std::ofstream("kernel.tct") << "loop i0 < 1\n";  // of the submission
  lab_.folder = "lab";
  lab_.questions = {{.id = "cycles", .ask = "?", .unit = "cycles", .points = 1}};
  solution_.measures = {{"c", "run trace:{lab}/kernel.tct -f json", "/cycles"}};
  solution_.answers = {{"cycles", "c", "", ""}};
  solution_.checks.clear();
  std::ofstream("answers.csv") << "question,value,unit,what\ncycles,3,cycles,\n";
  Outputs outputs;
  const Runner run = [](const Job& job) {
    EXPECT_FALSE(job.is_students);
    EXPECT_EQ(job.arguments[1], "trace:kernel.tct");
    return job.files.at("kernel.tct") == "loop i0 < 3\n" ? R"({"cycles": 3})" : R"({"cycles": 4})";
  };
  const auto points = [&](std::int64_t n) {
    return grade(lab_, solution_, Submission("."), "ada", {{"n", n}}, outputs, run).points();
  };
  EXPECT_EQ(points(3), 1);
  EXPECT_EQ(points(4), 0);
}

TEST_F(Grading, AFailureOfSeveralMeasuresIsToldOnce) {
  solution_.measures.push_back({"again", "peak a100 --set {file:set.txt} -f csv", "/rate"});
  std::ofstream("set.txt") << "no=good\n";
  EXPECT_EQ(grade_of("").marks.back().reason, "set.txt: no");
}

TEST_F(Grading, AWordIsRightInAnyCase) {
  EXPECT_EQ(grade_of("bound,DRAM,\n").marks[2].points, 1);
  EXPECT_EQ(grade_of("bound,L2,\n").marks[2].points, 0);
}

TEST_F(Grading, TakesNumbersAndShortWordsOfAStudentsCommandAndNothingElse) {
  std::string deep(100, '[');
  for (const std::string& output :
       {std::string("no JSON"), std::string(R"({"rate": 1e999})"), std::string(R"({"rate": null})"),
        std::string(R"({"rate": "<script>"})"), R"({"rate": ")" + std::string(1000, 'a') + "\"}",
        R"({"rate": 90, "x": )" + deep + std::string(100, ']') + "}", deep}) {
    students_output_ = output;
    const Mark mark = grade_of("").marks.back();
    EXPECT_EQ(mark.points, 0) << output;
    EXPECT_EQ(mark.reason, "set.txt: tcsim gives no result for it") << output;
  }
}

TEST_F(Grading, ACommandThatTookAllItsTimeIsNotFollowedByAnother) {
  solution_.measures.push_back({"again", "peak a100 --set {file:set.txt} -f csv", "/rate"});
  std::ofstream("answers.csv") << "";
  Outputs outputs;
  int students = 0;
  const Grade slow = grade(lab_, solution_, Submission("."), "ada", {{"n", 108}}, outputs,
                           [&](const Job& job) -> std::string {
                             if (!job.is_students) return R"({"rate": 50, "limit": "dram"})";
                             ++students;
                             throw CommandTimedOut("slow");
                           });
  EXPECT_EQ(students, 1);
  EXPECT_EQ(slow.marks.back().reason, "set.txt: slow");
}

TEST_F(Grading, TellsThatTheFirstLineOfASheetIsAnother) {
  EXPECT_EQ(grade_of("peak,100,TFLOPS\ncount,108,SMs\nbound,dram,word\n").remark, "");
  std::ofstream("answers.csv") << "value,question,unit\n100,peak,TFLOPS\n108,count,SMs\n";
  Outputs outputs;
  const Grade grade =
      labs::grade(lab_, solution_, Submission("."), "ada", {{"n", 108}}, outputs,
                  [](const Job&) { return std::string(R"({"rate": 50, "limit": "dram"})"); });
  EXPECT_THAT(grade.remark,
              StartsWith("answers.csv:1: the first line must be question,value,unit,what; "));
  EXPECT_THAT(grade_csv(grade), HasSubstr("1,ada,peak,0,3,\"answers.csv:1: the first line must be "
                                          "question,value,unit,what\"\n"));
  EXPECT_THAT(grade_csv(grade), Not(HasSubstr("no answer")));
}

TEST_F(Grading, EveryAnswerOfASheetThatIsNotReadSaysWhy) {
  std::ofstream("answers.csv") << "question;value;unit;what\npeak;100;TFLOPS;\n";
  Outputs outputs;
  const Grade grade =
      labs::grade(lab_, solution_, Submission("."), "ada", {{"n", 108}}, outputs,
                  [](const Job&) { return std::string(R"({"rate": 50, "limit": "dram"})"); });
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(grade.marks[i].reason,
              "answers.csv:1: fields must be separated by commas; save it as CSV with commas");
  EXPECT_EQ(grade.marks[3].reason, "graded by hand");
  EXPECT_EQ(grade_of_nothing(lab_, solution_, "ada", "no folder handed in").marks[0].reason,
            "no folder handed in");
}

TEST_F(Grading, TellsTheMistakesOfASheetWithoutItsText) {
  EXPECT_EQ(grade_of("peek,100,TFLOPS\ncount,\"108,SMs\n").remark,
            "answers.csv:2: not a question of lab 1; did you mean \"peak\"?; "
            "answers.csv:3: a quote is not closed");
  EXPECT_THAT(grade_of("a\nb\nc\nd\ne\nf\ng\n").remark,
              HasSubstr("answers.csv:6: expected question, value and unit; and 2 more"));
}

TEST_F(Grading, TellsThatASheetWasMadeForOtherNumbers) {
  lab_.questions[0].ask = "Peak of @n@ SMs";
  lab_.questions[1].ask = "SMs of the A100";
  const Grade other = grade_of("peak,100,TFLOPS,Peak of 96 SMs\npeek,1,1\n");
  EXPECT_EQ(other.remark,
            "answers.csv:2: the sheet was made for other personal numbers; yours: n = 108; "
            "answers.csv:3: not a question of lab 1; did you mean \"peak\"?");
  EXPECT_EQ(other.marks[0].points, 3);
  for (const char* what : {"Peak of 108 SMs", "My peak of 96 SMs", ""})
    EXPECT_EQ(grade_of(std::string("peak,100,TFLOPS,") + what + "\n").remark, "") << what;
  EXPECT_EQ(grade_of("count,108,SMs,SMs of the A200\n").remark, "");  // of an earlier course
}

TEST_F(Grading, AFileInPlaceOfAFolderIsNoLink) {
  std::ofstream("work") << "not a folder\n";
  EXPECT_EQ(Submission(".").read("work/kernel.tct", 100).refusal,
            "a symbolic link or a file in place of a folder, which is not read");
}

TEST_F(Grading, TellsOnceThatASubmissionIsOfAnotherLab) {
  const std::string sheet = "k,1,1\nrange,fp16,word\n";
  std::ofstream("lab.yaml") << "lab: 3\n";
  EXPECT_EQ(grade_of(sheet).remark, "lab.yaml: a submission of lab 3, not of lab 1");
  std::ofstream("lab.yaml") << "\xef\xbb\xbflab: 3\n";  // with the byte order mark of an editor
  EXPECT_EQ(grade_of(sheet).remark, "lab.yaml: a submission of lab 3, not of lab 1");
  std::ofstream("lab.yaml") << "lab: 1\n";
  EXPECT_THAT(grade_of(sheet).remark, HasSubstr("answers.csv:3: not a question of lab 1"));
}

TEST_F(Grading, StudentsWithEqualNumbersShareWhatWasComputed) {
  std::ofstream("answers.csv") << "";
  Outputs outputs;
  int runs = 0;
  const Runner run = [&](const Job& job) -> std::string {
    runs += job.is_students ? 0 : 1;
    return R"({"rate": 50, "limit": "dram"})";
  };
  grade(lab_, solution_, Submission("."), "ada", {{"n", 108}}, outputs, run);
  grade(lab_, solution_, Submission("."), "bob", {{"n", 108}}, outputs, run);
  EXPECT_EQ(runs, 1);
  grade(lab_, solution_, Submission("."), "eve", {{"n", 109}}, outputs, run);
  EXPECT_EQ(runs, 2);
}

TEST_F(Grading, CsvHasNoForgedRowsAndNoFormulas) {
  Grade grade = grade_of("");
  grade.student = "bob,100\n=cmd|' /C calc'!A0";
  EXPECT_THAT(grade_csv(grade), HasSubstr("1,\"bob,100\n=cmd|' /C calc'!A0\",peak,"));
  EXPECT_THAT(grades_csv({grade}), HasSubstr("1,\"bob,100\n=cmd|' /C calc'!A0\",2,7,"));
  grade.student = "=1+1";
  EXPECT_THAT(grade_csv(grade), HasSubstr("1,'=1+1,peak,"));
}

TEST_F(Grading, AMistakeOfTheSolutionIsTheInstructors) {
  const auto told = [this] { return test::refusal([this] { return grade_of(""); }); };
  const Solution sound = solution_;
  solution_.file = "s/solution.yaml";
  solution_.answers.erase(solution_.answers.begin());
  EXPECT_EQ(told(), "s/solution.yaml: answers: none to the question peak");
  solution_ = sound;
  solution_.answers[0] = {"peak", "1 +", "", "", "s/solution.yaml:7:5"};
  EXPECT_THAT(told(), StartsWith("s/solution.yaml:7:5: answers.peak: "));
  solution_.answers[0] = {"peak", "", "l2", "", "s/solution.yaml:7:5"};
  EXPECT_EQ(told(),
            "s/solution.yaml:7:5: answers.peak: the question asks for a number; state its value");
  solution_ = sound;
  solution_.measures[0] = {"rate", "peak a100 @n@", "/limit", "s/solution.yaml:2:5"};
  EXPECT_EQ(told(), "s/solution.yaml:2:5: measures.rate: no number at /limit");
  solution_.measures[0] = {"rate", "peak a999 @n@ -f json", "/rate", "s/solution.yaml:2:5"};
  EXPECT_EQ(told(), "s/solution.yaml:2:5: measures.rate: 'tcsim peak a999 108 -f json' fails: no");
}

}  // namespace
}  // namespace tcsim::labs
