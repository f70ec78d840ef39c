#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/labs/lab.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/labs/solution.hpp"
#include "sim/labs/start.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::labs {
namespace {

using ::testing::HasSubstr;

std::vector<Lab> shipped() { return read_labs(files::data_folder("docs/labs")); }

TEST(LabFiles, AreTheTwelveOfTheCourse) {
  const std::vector<Lab> labs = shipped();
  ASSERT_EQ(labs.size(), 12U);
  for (std::size_t i = 0; i < labs.size(); ++i) EXPECT_EQ(labs[i].number, static_cast<int>(i) + 1);
}

// Two students of a class of ten have another number; what is a kind and no number says so.
TEST(LabFiles, DrawEveryNumberFromFiftyValuesAtLeast) {
  constexpr std::int64_t kLeast = 50;
  for (const Lab& lab : shipped()) {
    int numbers = 0;
    for (const ParameterSpec& parameter : lab.parameters) {
      if (!parameter.choices.empty()) continue;
      ++numbers;
      EXPECT_GE(parameter.values(), kLeast) << "lab " << lab.number << ": " << parameter.name;
    }
    EXPECT_GE(numbers, 1) << "lab " << lab.number;
  }
}

// A question or a program for the student names it, or the solution calculates with it.
TEST(LabFiles, EveryNumberChangesAnAnswer) {
  for (const Lab& lab : shipped()) {
    std::string texts;
    for (const Question& question : lab.questions) texts += question.ask + "\n";
    for (const auto& entry : std::filesystem::directory_iterator(lab.folder))
      if (entry.path().extension() == ".tct") texts += cli::text_of(entry.path());
    const std::string solution = cli::text_of(files::data_folder("labs-instructor") /
                                              lab.folder.filename() / "solution.yaml");
    for (const ParameterSpec& parameter : lab.parameters) {
      const std::regex calculated("\\b" + parameter.name + "\\b");
      EXPECT_TRUE(texts.find("@" + parameter.name + "@") != std::string::npos ||
                  std::regex_search(solution, calculated))
          << "lab " << lab.number << ": " << parameter.name;
    }
  }
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
         read_solution(files::data_folder("labs-instructor") / lab.folder.filename(), lab).checks) {
      automatic += check.points;
      all += check.points;
    }
    EXPECT_LE(automatic, 0.6 * all) << "lab " << lab.number << ": " << automatic << " of " << all;
  }
}

TEST(LabFiles, EveryQuestionHasAnAnswerAndNoOther) {
  for (const Lab& lab : shipped()) {
    const Solution solution =
        read_solution(files::data_folder("labs-instructor") / lab.folder.filename(), lab);
    std::set<std::string> answered;
    for (const Expected& expected : solution.answers) answered.insert(expected.id);
    for (const Question& question : lab.questions)
      EXPECT_EQ(answered.erase(question.id), question.written ? 0U : 1U)
          << lab.number << " " << question.id;
    EXPECT_TRUE(answered.empty()) << "lab " << lab.number;
  }
}

// What the grader reads, the handout asks for and `lab check` misses.
TEST(LabFiles, EveryFileThatASolutionReadsIsToBeHandedIn) {
  const std::regex handed_in(R"(\{submission\}/([^ ]+)|\{file:([^}]+)\})");
  for (const Lab& lab : shipped()) {
    const std::string handout = cli::text_of(lab.folder / "handout.md");
    for (const Measure& measure :
         read_solution(files::data_folder("labs-instructor") / lab.folder.filename(), lab)
             .measures) {
      const std::sregex_iterator end;
      for (std::sregex_iterator at(measure.command.begin(), measure.command.end(), handed_in);
           at != end; ++at) {
        const std::string name = (*at)[1].str() + (*at)[2].str();
        EXPECT_EQ(std::count(lab.files.begin(), lab.files.end(), name), 1)
            << "lab " << lab.number << ": " << name;
        EXPECT_THAT(handout, HasSubstr("`" + name + "`")) << "lab " << lab.number;
      }
    }
  }
}

TEST(LabFiles, ChoicesStandInThePlaceOfARange) {
  const cli::TemporaryHome home;
  const std::string start = "lab: 1\ntitle: x\ngoal: y\nfigure: f\nparameters:\n";
  std::ofstream("lab.yaml") << start << "  - {name: rows, choices: [32, 64]}\n";
  EXPECT_EQ(read_lab(".").parameters.front().values(), 2);
  EXPECT_EQ(read_lab(".").parameters.front().value(1), 64);
  std::ofstream("lab.yaml") << start << "  - {name: rows, choices: [32, 64], step: 2}\n";
  EXPECT_THROW(read_lab("."), config::ConfigError);
  std::ofstream("lab.yaml") << start << "  - {name: rows, choices: [64, 32]}\n";
  EXPECT_THROW(read_lab("."), config::ConfigError);
}

TEST(LabFiles, NameTheirMistakes) {
  const cli::TemporaryHome home;
  std::ofstream("lab.yaml")
      << "lab: 1\ntitel: x\ngoal: y\nfigure: f\n"
         "questions:\n  - {id: a, ask: b, units: c}\n  - {id: a, ask: b, unit: c}\n";
  const std::string message = test::refusal([&] { read_lab("."); });
  EXPECT_THAT(message, HasSubstr("titel: unknown key; did you mean \"title\"?"));
  EXPECT_THAT(message, HasSubstr("title: missing"));
  EXPECT_THAT(message, HasSubstr("did you mean \"unit\"?"));
  EXPECT_THAT(message, HasSubstr("two are called a"));
  std::ofstream("lab.yaml") << "lab: 1\ntitle: x\ngoal: y\nfigure: f\n"
                               "questions:\n  - {id: a, ask: b, written: true}\n";
  EXPECT_THAT(test::refusal([] { read_lab("."); }),
              HasSubstr("lab.yaml:6:30: questions.written: 'true' is not one of no, yes"));
}

TEST(LabFiles, TwoParametersOfOneNameAreRefused) {
  const cli::TemporaryHome home;
  std::ofstream("lab.yaml") << "lab: 1\ntitle: x\ngoal: y\nfigure: f\nparameters:\n"
                               "  - {name: n, from: 1, to: 9}\n  - {name: n, from: 2, to: 9}\n";
  EXPECT_EQ(test::refusal([] { read_lab("."); }), "./lab.yaml:7:5: parameters: two are called n");
}

TEST(LabFiles, TwoLabsOfOneNumberAreRefused) {
  const cli::TemporaryHome home;
  for (const std::string folder : {"a", "b"}) {
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/lab.yaml") << "title: x\nlab: 3\ngoal: y\nfigure: f\n";
  }
  EXPECT_EQ(test::refusal([] { return read_labs("."); }),
            "./b/lab.yaml:2:6: lab: 3 is also the number of ./a/lab.yaml:2:6");
}

TEST(LabFiles, AMarkerOfNoParameterIsAMistakeAndNotCopied) {
  const cli::TemporaryHome home;
  std::filesystem::create_directories("lab/more");
  std::ofstream("lab/lab.yaml") << "lab: 1\ntitle: x\ngoal: y\nfigure: f\n";
  const auto start_with = [](const std::string& text) {
    std::ofstream("lab/more/handout.md") << text;
    start(read_lab("lab"), {{"trips", 7}}, "work");
  };
  EXPECT_EQ(
      test::refusal([&] { start_with("a@b.c, 5@6@\nloop @trips@ of @trip@\n"); }),
      "lab/more/handout.md:2:17: @trip@: not a parameter of the lab; did you mean \"trips\"?");
  EXPECT_FALSE(std::filesystem::exists("work"));
  start_with("a@b.c, 5@6@\nloop @trips@\n");
  EXPECT_EQ(cli::text_of("work/more/handout.md"), "a@b.c, 5@6@\nloop 7\n");
}

TEST(LabFiles, ASolutionNamesAMeasureThatIsNotThere) {
  const cli::TemporaryHome home;
  std::ofstream("solution.yaml") << "measures:\n  - {name: bound, command: peak a100, at: /x}\n"
                                    "answers:\n  - {id: a, word_of: bond}\n";
  Lab lab;
  lab.questions = {{.id = "a", .words = {"l2", "dram"}}};
  EXPECT_EQ(test::refusal([&] { read_solution(".", lab); }),
            "./solution.yaml:4:22: answers.word_of: 'bond' is not a measure; did you mean "
            "\"bound\"?");
}

TEST(LabFiles, ASolutionThatCannotFitItsLabIsRefused) {
  const cli::TemporaryHome home;
  Lab lab;
  lab.number = 3;
  lab.questions = {{.id = "bound", .words = {"L2", "dram"}}, {.id = "peak", .unit = "TFLOPS"}};
  const auto told = [&](const std::string& answers) {
    std::ofstream("solution.yaml") << "answers:\n" << answers;
    return test::refusal([&] { read_solution(".", lab); });
  };
  EXPECT_EQ(told("  - {id: bound, word: l2}\n  - {id: peak, value: 1}\n"), "accepted");
  EXPECT_EQ(told("  - {id: bound, word: drum}\n"),
            "./solution.yaml:2:23: answers.word: 'drum' is not one of L2, dram; did you mean "
            "\"dram\"?");
  EXPECT_EQ(told("  - {id: bound, word: l2}\n  - {id: peek, value: 1}\n"),
            "./solution.yaml:3:10: answers.id: 'peek' is not a question of lab 3; did you mean "
            "\"peak\"?");
}

}  // namespace
}  // namespace tcsim::labs
