#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::labs {
namespace {

using cli::ChildResult;
using cli::tcsim;
using ::testing::HasSubstr;
using ::testing::Not;

class LabCommand : public ::testing::Test {
 protected:
  cli::TemporaryHome home_;
};

TEST_F(LabCommand, ListsTheTwelveLabs) {
  const ChildResult result = tcsim({"lab", "list"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("12  Hopper's asynchronous pipeline"));
  std::istringstream lines(result.output);
  std::string first;
  std::string last;
  std::getline(lines, first);
  while (std::getline(lines, last) && !last.starts_with("12")) {
  }
  EXPECT_EQ(first.find("Derive"), last.find("TMA,"));  // the goals stand in one column
}

TEST_F(LabCommand, CompletesTheNumbersOfTheLabs) {
  EXPECT_EQ(tcsim({"complete", "--", "lab", "start", "1"}).output, "1\n10\n11\n12\n");
}

TEST_F(LabCommand, StartsALabWithTheStudentsOwnNumbers) {
  std::ofstream("key") << "course secret\n";
  const ChildResult result = tcsim({"lab", "start", "1", "--student", "ada", "--secret", "key"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("your sms = "));
  EXPECT_THAT(cli::text_of("01-from-mac-to-tflops/handout.md"), Not(HasSubstr("@sms@")));
  EXPECT_EQ(tcsim({"lab", "start", "1", "--student", "ada"}).status, 5);  // exists
}

TEST_F(LabCommand, StartsALabForEveryStudentOfARoster) {
  std::ofstream("key") << "course secret\n";
  std::ofstream("roster.csv") << "student\nada\nbob@example.org\n";
  const ChildResult result =
      tcsim({"lab", "start", "1", "--roster", "roster.csv", "--secret", "key", "-o", "handouts"});
  EXPECT_EQ(result.status, 0) << result.errors;
  tcsim({"lab", "start", "1", "--student", "ada", "--secret", "key", "-o", "alone"});
  EXPECT_EQ(cli::text_of("handouts/ada/handout.md"), cli::text_of("alone/handout.md"));
  EXPECT_FALSE(cli::text_of("handouts/bob@example.org/handout.md").empty());
}

TEST_F(LabCommand, ChecksTheFormAndNeverTheValues) {
  ASSERT_EQ(tcsim({"lab", "start", "1", "--student", "ada", "-o", "work"}).status, 0);
  const ChildResult blank = tcsim({"lab", "check", "work"});
  EXPECT_EQ(blank.status, 1);
  EXPECT_THAT(blank.output, HasSubstr("answers.csv:2: v100_fp16: no answer"));
  EXPECT_THAT(blank.output, HasSubstr("report.md: why: no answer"));
  std::ofstream("work/report.md", std::ios::app) << "An answer.\n";  // to the last question
  std::ofstream("work/answers.csv")
      << "question,value,unit,what\n"
         "v100_fp16,1,GFLOPS\na100_fp16,1,TFLOPS\na100_tf32,1,TFLOPS\n"
         "a100_int8,1,TOPS\nmy_peak,1,TFLOPS\nsms_for_400,1,SMs\n"
         "cuda_fp32,1,TFLOPS\nspeedup,1,1\n";
  const ChildResult unit = tcsim({"lab", "check", "work"});
  EXPECT_EQ(unit.status, 1);
  EXPECT_THAT(unit.output, HasSubstr("v100_fp16: wrong unit: the sheet asks for 'TFLOPS'"));
  EXPECT_THAT(unit.output, HasSubstr("2 to fix"));
}

TEST_F(LabCommand, RemarksThatTheFigureIsNotThere) {
  ASSERT_EQ(tcsim({"lab", "start", "1", "--student", "ada", "-o", "work"}).status, 0);
  const std::string figure = "sweep-tensor-against-cuda/plots/rate.svg";
  const std::string remark = figure + ": not handed in; a figure in report.md will do\n";
  const std::string without = tcsim({"lab", "check", "work"}).output;
  EXPECT_THAT(without, HasSubstr(remark));
  std::filesystem::create_directories("work/sweep-tensor-against-cuda/plots");
  std::ofstream("work/" + figure) << "<svg/>\n";
  const std::string with = tcsim({"lab", "check", "work"}).output;
  EXPECT_EQ(with.size(), without.size() - remark.size());  // as many to fix
}

TEST_F(LabCommand, RefusesWhatItCannotDo) {
  const auto refused = [](std::vector<std::string> arguments, int status, const char* reason) {
    const ChildResult result = tcsim(std::move(arguments));
    EXPECT_EQ(result.status, status);
    EXPECT_THAT(result.errors, HasSubstr(reason));
  };
  refused({"lab", "start", "thirteen"}, 2, "'thirteen' is not the number of a lab");
  refused({"lab", "start", "13"}, 2, "there is no lab 13");
  refused({"lab", "start", "1", "--student", "ada", "--secret", "nowhere"}, 5, "nowhere");
  refused({"lab", "start", "1"}, 2, "whose numbers? Add --student ID");
  refused({"lab", "grade", "1"}, 2, "which folder?");
  refused({"lab", "start", "1", "--student", "../x"}, 2, "'../x' names a file");
  refused({"lab", "check", "nowhere"}, 5, "nowhere");
  refused({"lab", "check", "."}, 2,
          "lab.yaml: not handed in; name the folder that tcsim lab start made");
  ASSERT_EQ(tcsim({"lab", "start", "1", "--student", "ada", "-o", "work"}).status, 0);
  const auto refused_grade = [&](std::vector<std::string> further, const char* reason) {
    std::vector<std::string> words{"lab", "grade", "1", "work"};
    words.insert(words.end(), further.begin(), further.end());
    refused(words, 2, reason);
  };
  refused_grade({}, "who handed this in?");
  refused_grade({"--student", "ada"}, "Add --secret FILE");
  refused_grade({"--student", "ada", "--secret", "none"}, "Add --solutions FOLDER");
  refused_grade({"--student", "ada", "--secret", "none", "--solutions", "s"}, "Add -o FOLDER");
}

}  // namespace
}  // namespace tcsim::labs
