#include "sim/labs/sheet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/labs/report.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::labs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SheetFile : public ::testing::Test {
 protected:
  SheetFile() {
    lab_.number = 1;
    lab_.questions = {
        {.id = "peak", .ask = "The \"peak\"", .unit = "TFLOPS", .points = 1},
        {.id = "bound", .ask = "?", .unit = "word", .points = 1, .words = {"l2", "dram"}},
        {.id = "why", .ask = "Why?", .points = 1, .written = true}};
    lab_.files = {"machine.yaml"};
  }
  void write(const std::string& rows) {
    std::ofstream("answers.csv") << "question,value,unit,what\n" << rows;
  }
  std::vector<std::string> mistakes() const { return read_sheet(Submission("."), lab_).mistakes; }

  Lab lab_;
  cli::TemporaryHome home_;
};

TEST_F(SheetFile, ReadsWhatTheBlankSheetAsks) {
  std::ofstream("answers.csv") << blank_sheet(lab_, {});
  const Sheet sheet = read_sheet(Submission("."), lab_);
  EXPECT_THAT(sheet.mistakes, IsEmpty());
  EXPECT_EQ(sheet.answers.size(), 2U);  // not the written one
  EXPECT_EQ(blank_sheet(lab_, {}),
            "question,value,unit,what\n"
            "peak,,TFLOPS,\"The \"\"peak\"\"\"\n"
            "bound,,word,\"? (one of l2, dram)\"\n");
}

TEST_F(SheetFile, TakesBlanksLineBreaksAndMarksOfSpreadsheets) {
  std::ofstream("answers.csv") << "\xEF\xBB\xBFquestion,value,unit,what\r\npeak, 125.3 ,TFLOPS\r\n";
  const Sheet sheet = read_sheet(Submission("."), lab_);
  EXPECT_THAT(sheet.mistakes, IsEmpty());
  EXPECT_EQ(sheet.answers.at("peak").value, "125.3");
}

TEST_F(SheetFile, NamesEveryMistakeOfFormWithItsLine) {
  write("peek,1,TFLOPS\npeak,1\npeak,1,TFLOPS\npeak,2,TFLOPS\nbound,\"l2,word\n");
  EXPECT_THAT(
      mistakes(),
      ElementsAre("answers.csv:2: not a question of lab 1; did you mean \"peak\"?",
                  "answers.csv:3: expected question, value and unit",
                  "answers.csv:5: peak is answered twice", "answers.csv:6: a quote is not closed"));
}

TEST_F(SheetFile, ADecimalCommaIsNotReadAsAWholeNumber) {
  lab_.questions.push_back({.id = "ratio", .ask = "?", .unit = "1", .points = 1});
  write("ratio,7,1,1,\"Mine: 7,1\"\npeak,125,3,TFLOPS,\n");
  EXPECT_THAT(mistakes(), ElementsAre("answers.csv:2: 5 fields, not 4; a decimal comma?",
                                      "answers.csv:3: 5 fields, not 4; a decimal comma?"));
  EXPECT_THAT(read_sheet(Submission("."), lab_).answers, IsEmpty());
}

TEST_F(SheetFile, TheFirstLineMayBeQuoted) {
  std::ofstream("answers.csv") << "\"question\",\"value\",\"unit\",\"what\"\npeak,125.3,TFLOPS\n";
  EXPECT_THAT(mistakes(), IsEmpty());
  std::ofstream("answers.csv") << "\"question,value,unit,what\"\n";
  EXPECT_THAT(mistakes(),
              ElementsAre("answers.csv:1: the first line must be question,value,unit,what"));
  std::ofstream("answers.csv") << "\"question\";\"value\";\"unit\";\"what\"\n";
  EXPECT_THAT(mistakes(), ElementsAre("answers.csv:1: fields must be separated by commas; save it "
                                      "as CSV with commas"));
}

TEST_F(SheetFile, NamesAWrongUnitAWrongWordAndNoNumber) {
  const Question& peak = lab_.questions[0];
  EXPECT_EQ(form_mistake(peak, {"125.3", "TFLOPS", 2}), "");
  EXPECT_EQ(form_mistake(peak, {"+125.3", "TFLOPS", 2}), "");
  EXPECT_EQ(form_mistake(peak, {"+-125.3", "TFLOPS", 2}),
            "not a number (decimal point, no thousands separators)");
  EXPECT_EQ(form_mistake(peak, {"125.3", "GFLOPS", 2}), "wrong unit: the sheet asks for 'TFLOPS'");
  EXPECT_EQ(form_mistake(peak, {"125,3", "TFLOPS", 2}),
            "not a number (decimal point, no thousands separators)");
  EXPECT_EQ(form_mistake(peak, {"inf", "TFLOPS", 2}),
            "not a number (decimal point, no thousands separators)");
  EXPECT_EQ(form_mistake(peak, {"", "TFLOPS", 2}), "no answer");
  EXPECT_EQ(form_mistake(lab_.questions[1], {"l3", "word", 2}), "not one of l2, dram");
}

TEST_F(SheetFile, AWordHasNoUnitAndNoCase) {
  for (const Answer& answer : {Answer{"DRAM", "word", 2}, {"Dram", "", 2}, {"l2", "level", 2}})
    EXPECT_EQ(form_mistake(lab_.questions[1], answer), "") << answer.value;
}

TEST_F(SheetFile, SeparatedOtherwiseThanByCommasIsOneMistake) {
  lab_.files.clear();
  lab_.questions.pop_back();  // the written one
  for (const char separator : {';', '\t'}) {
    std::string sheet = blank_sheet(lab_, {});
    std::ranges::replace(sheet, ',', separator);
    std::ofstream("answers.csv") << sheet;
    EXPECT_THAT(check_submission(Submission("."), lab_),
                ElementsAre("answers.csv:1: fields must be separated by commas; save it as CSV "
                            "with commas"));
  }
}

TEST_F(SheetFile, ACheckAlsoMissesRowsAndFiles) {
  write("peak,125.3,TFLOPS\n");
  EXPECT_THAT(check_submission(Submission("."), lab_),
              ElementsAre("answers.csv:1: bound: no row", "machine.yaml: not handed in",
                          "report.md: not handed in"));
}

TEST_F(SheetFile, TheNumberOfTheLabMayHaveAComment) {
  const auto number = [](const std::string& line) {
    std::ofstream("lab.yaml") << line << "\n";
    return lab_number_of(Submission("."));
  };
  EXPECT_EQ(number("lab: 7 # the first"), 7);
  EXPECT_EQ(number("lab: 7\t#x #y"), 7);
  EXPECT_THROW(number("lab: 7#x"), UnknownLab);
  EXPECT_THROW(number("lab: # 7"), UnknownLab);
}

TEST_F(SheetFile, ACheckReadsSettingsAsTheGraderDoes) {
  std::filesystem::create_directory("lab");
  std::ofstream("lab/set.txt") << "dram.channels=80\n";
  lab_.folder = "lab";
  lab_.files = {"set.txt"};
  lab_.questions.pop_back();  // the written one
  write("peak,125.3,TFLOPS\nbound,l2,word\n");
  std::ofstream("set.txt") << "dram.channels = 160\n";
  EXPECT_THAT(check_submission(Submission("."), lab_),
              ElementsAre("set.txt: its first line is not a setting KEY=VALUE"));
  std::ofstream("set.txt") << "\xEF\xBB\xBF"
                           << "dram.channels=160\r\n";
  EXPECT_THAT(check_submission(Submission("."), lab_), IsEmpty());
}

TEST_F(SheetFile, ABlankReportIsNotComplete) {
  write("peak,125.3,TFLOPS\nbound,l2,word\n");
  std::ofstream("machine.yaml") << "x\n";
  lab_.questions.push_back({.id = "how", .ask = "How fast is @n@?", .points = 1, .written = true});
  std::ofstream("report.md") << report_form(lab_, {{"n", 512}});
  EXPECT_THAT(check_submission(Submission("."), lab_),
              ElementsAre("report.md: why: no answer", "report.md: how: no answer"));
  std::ofstream("report.md") << "## why (1 points)\n\nBecause of 2 waves.\n\n## how\n\n"
                                "How fast is 512?\n\n## a heading of mine\n\n512 times.\n";
  EXPECT_THAT(check_submission(Submission("."), lab_), IsEmpty());
  std::ofstream("report.md") << "# my report\n\n## how\n\n \n";
  EXPECT_THAT(check_submission(Submission("."), lab_),
              ElementsAre("report.md: why: no section ## why", "report.md: how: no answer"));
}

TEST_F(SheetFile, WhatNobodyReadsInAReportIsNoAnswer) {
  lab_.questions = {{.id = "how", .ask = "How fast is @n@?", .points = 1, .written = true}};
  const auto is_complete = [&](const std::string& answer) {
    return report_mistakes("## how (1 points)\n\nHow fast is 512?\n\n" + answer + "\n", lab_)
        .empty();
  };
  for (const char* nothing :
       {"", "---", "<!-- 512 times -->", "<!-- 512\n> times", "&nbsp;", "&#160;", "TODO",
        "**Todo:** TBD.", "<br/>\n<p></p>", "How fast is 512?", "> How fast\n  is 64?", "```\n```"})
    EXPECT_FALSE(is_complete(nothing)) << nothing;
  for (const char* answer : {"512", "It is TODO.", "a < b", "R&D;", "<b>fast</b>", "![](rate.svg)",
                             "How fast is 512? 512 times.", "很快"})
    EXPECT_TRUE(is_complete(answer)) << answer;
}

}  // namespace
}  // namespace tcsim::labs
