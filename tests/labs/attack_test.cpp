// What hostile students hand in, and what the grader does with it. Every test is an attack that
// once worked, or a neighbour of one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::labs {
namespace {

namespace fs = std::filesystem;
using cli::ChildResult;
using cli::tcsim;
using cli::text_of;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "dram.channels=THE-COURSE-SECRET";

/// A course of one lab, whose solution reads all that a submission can have: an answer sheet, a
/// setting and a kernel.
class HostileSubmission : public ::testing::Test {
 protected:
  HostileSubmission() {
    fs::create_directories("labs/01-attack");
    fs::create_directories("solutions/01-attack");
    fs::create_directories("in/ada");
    write_lab(600);  // more than a busy host needs
    write("solutions/01-attack/solution.yaml",
          "measures:\n"
          "  - {name: rate, command: \"peak lab-tiny -f json\", at: /dram_gb_per_s}\n"
          "  - {name: mine, command: \"peak lab-tiny --set {file:set.txt} -f json\", "
          "at: /dram_gb_per_s}\n"
          "  - {name: cycles, command: \"run trace:{submission}/kernel.tct -m lab-tiny -f json "
          "--no-files\", at: /cycles}\n"
          "answers:\n  - {id: own, value: n}\n"
          "checks:\n"
          "  - {name: setting, points: 1, condition: \"mine > rate\"}\n"
          "  - {name: kernel, points: 1, condition: \"cycles > 0\"}\n");
    write("course.key", std::string(kSecret) + "\n");
    write("roster.csv", "student,mail\nada,ada@example.org\n");
    write("in/ada/answers.csv", "question,value,unit,what\nown,7,SMs,\n");
    write("in/ada/set.txt", "dram.channels=2\n");
    write("in/ada/kernel.tct", kernel("1 1 1"));
  }

  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static void write_lab(int time_limit_s) {
    write("labs/01-attack/lab.yaml",
          "lab: 1\ntitle: Attack\ngoal: none\nfigure: f\ntime_limit_s: " +
              std::to_string(time_limit_s) +
              "\nparameters:\n  - {name: n, from: 1, to: 1000000}\n"
              "questions:\n  - {id: own, ask: your n, unit: SMs, points: 1}\n"
              "commands:\n  - tcsim peak lab-tiny\n");
  }
  static std::string kernel(const std::string& grid) {
    return "tct 1\nkernel k\ngrid " + grid +
           "\nwarps 1\nregisters 32\nshared 0\n\nprogram main "
           "warps 0\n  EXIT\n";
  }
  static void link(const char* target, const char* name) {
    fs::remove(name);
    fs::create_symlink(fs::absolute(target), name);
  }

  /// Grades in/ada as the roster says.
  static ChildResult graded(std::vector<std::string> further = {}) {
    std::vector<std::string> words{"lab",      "grade",       "1",         "in",       "--labs",
                                   "labs",     "--solutions", "solutions", "--roster", "roster.csv",
                                   "--secret", "course.key",  "-o",        "out"};
    words.insert(words.end(), further.begin(), further.end());
    return tcsim(words);
  }
  static std::string reason_of(const std::string& test) {
    const auto json = nlohmann::json::parse(text_of("out/ada/results.json"));
    for (const auto& entry : json["tests"])
      if (entry["name"] == test) return entry["output"];
    return "no such test";
  }
  static double points_of(const std::string& test) {
    const auto json = nlohmann::json::parse(text_of("out/ada/results.json"));
    for (const auto& entry : json["tests"])
      if (entry["name"] == test) return entry["score"];
    return -1;
  }
  /// All that the grader printed and wrote.
  static std::string all_of(const ChildResult& result) {
    std::string text = result.output + result.errors;
    for (const auto& entry : fs::recursive_directory_iterator("out"))
      if (entry.is_regular_file()) text += text_of(entry.path());
    return text;
  }
  static void expect_no_secret(const ChildResult& result) {
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(all_of(result), Not(HasSubstr("THE-COURSE-SECRET")));
  }

  cli::TemporaryHome home_;
};

TEST_F(HostileSubmission, AnHonestOneIsGraded) {
  const ChildResult result = graded();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(reason_of("setting"), "met");
  EXPECT_EQ(reason_of("kernel"), "met");
  EXPECT_EQ(reason_of("own"), "not the expected value");
  EXPECT_THAT(text_of("out/grades.csv"), HasSubstr("1,ada,2,3,\n"));
}

TEST_F(HostileSubmission, ALinkToTheCourseKeyIsNotRead) {
  link("course.key", "in/ada/set.txt");
  expect_no_secret(graded());
  EXPECT_EQ(reason_of("setting"), "set.txt: a symbolic link, which is not read");
}

TEST_F(HostileSubmission, AKernelThatIsALinkIsNotRead) {
  link("course.key", "in/ada/kernel.tct");
  expect_no_secret(graded());
  EXPECT_EQ(points_of("kernel"), 0);
  EXPECT_THAT(reason_of("kernel"), HasSubstr("kernel.tct: a symbolic link"));
}

TEST_F(HostileSubmission, ASheetThatIsALinkIsNotReadNorToldOf) {
  write("other.csv", "question,value,unit,what\nown,7,THE-COURSE-SECRET,\n");
  link("other.csv", "in/ada/answers.csv");
  expect_no_secret(graded());
  EXPECT_THAT(text_of("out/grades.csv"), HasSubstr("answers.csv: a symbolic link"));
}

TEST_F(HostileSubmission, AFolderThatIsALinkIsNotRead) {
  fs::rename("in/ada", "elsewhere");
  link("elsewhere", "in/ada");
  EXPECT_EQ(graded().status, 0);
  EXPECT_EQ(text_of("out/grades.csv"),
            "lab,student,points,most,remark\n1,ada,0,3,no folder handed in: a symbolic link; name "
            "the folder itself\n");
}

TEST_F(HostileSubmission, AFileInPlaceOfTheFolderIsToldAsSuch) {
  fs::remove_all("in/ada");
  write("in/ada", "my answers\n");
  EXPECT_EQ(graded().status, 0);
  EXPECT_THAT(text_of("out/grades.csv"),
              HasSubstr("1,ada,0,3,no folder handed in: Not a directory\n"));
}

TEST_F(HostileSubmission, TheFolderOfAllStudentsMustExist) {
  fs::rename("in", "elsewhere");
  for (const std::vector<std::string>& further :
       std::vector<std::vector<std::string>>{{}, {"--student", "ada"}}) {
    const ChildResult result = graded(further);
    EXPECT_EQ(result.status, 5);
    EXPECT_THAT(result.errors, HasSubstr("in: No such file or directory"));
    EXPECT_FALSE(fs::exists("out/grades.csv"));
  }
}

// The command prints a note before its mistake.
TEST_F(HostileSubmission, ACommandOfTheSolutionThatFailsIsNamedWithItsMistake) {
  write("solutions/01-attack/solution.yaml",
        "measures:\n  - {name: c, command: \"run gemm:64 --unit cuda-core -m v100 --max-cycles 10 "
        "-f json --no-files\", at: /cycles}\nanswers:\n  - {id: own, value: n}\n");
  const ChildResult result = graded();
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors,
              HasSubstr("solutions/01-attack/solution.yaml:2:5: measures.c: 'tcsim run gemm:64 "
                        "--unit cuda-core -m v100 --max-cycles 10 -f json --no-files' fails: tcsim "
                        "run: stopped by cycle limit"));
}

TEST_F(HostileSubmission, AWordOfTheirOwnCommandThatFailsCostsTheAnswerAlone) {
  write("labs/01-attack/lab.yaml",
        "lab: 1\ntitle: Attack\ngoal: none\nfigure: f\nquestions:\n"
        "  - {id: bound, ask: \"?\", words: [l2, dram], points: 1}\n");
  write("solutions/01-attack/solution.yaml",
        "measures:\n  - {name: w, command: \"run gemm:32 -m lab-tiny -f json --no-files --set "
        "{file:set.txt}\", at: /bound_by}\nanswers:\n  - {id: bound, word_of: w}\n");
  write("in/ada/answers.csv", "question,value,unit,what\nbound,l2,word,\n");
  write("in/ada/set.txt", "nonsense=3\n");
  EXPECT_EQ(graded().status, 0);
  EXPECT_THAT(reason_of("bound"),
              HasSubstr("cannot be compared: set.txt: tcsim ends with status 2"));
}

TEST_F(HostileSubmission, AHardLinkIsNotRead) {
  fs::remove("in/ada/set.txt");
  fs::create_hard_link("course.key", "in/ada/set.txt");
  expect_no_secret(graded());
  EXPECT_THAT(reason_of("setting"), HasSubstr("set.txt: a hard link"));
}

TEST_F(HostileSubmission, APipeOrADeviceHoldsNobodyUp) {
  fs::remove("in/ada/answers.csv");
  ASSERT_EQ(::mkfifo("in/ada/answers.csv", 0600), 0);
  link("/dev/zero", "in/ada/kernel.tct");
  fs::remove("in/ada/set.txt");
  fs::create_directory("in/ada/set.txt");
  EXPECT_EQ(graded().status, 0);
  EXPECT_THAT(text_of("out/grades.csv"), HasSubstr("answers.csv: not a regular file"));
  EXPECT_THAT(reason_of("setting"), HasSubstr("set.txt: not a regular file"));
}

TEST_F(HostileSubmission, AFileOfTwoGigabytesIsNotRead) {
  fs::resize_file("in/ada/kernel.tct", std::uintmax_t{2} << 30);
  EXPECT_EQ(graded().status, 0);
  EXPECT_THAT(reason_of("kernel"), HasSubstr("longer than 1048576 bytes"));
}

TEST_F(HostileSubmission, ASettingIsNoOptionAndNoPath) {
  for (const char* line : {"--help", "-o", "--machine=/etc/passwd", "dram.channels=/etc/passwd",
                           "dram.channels=2 --set", "a=b=c", "", "=1"}) {
    write("in/ada/set.txt", std::string(line) + "\n");
    fs::remove_all("out");
    EXPECT_EQ(graded().status, 0) << line;
    EXPECT_EQ(reason_of("setting"), "set.txt: its first line is not a setting KEY=VALUE") << line;
  }
}

TEST_F(HostileSubmission, NoMessageHoldsTextOfAFile) {
  write("in/ada/answers.csv", "question,value,unit,what\nown,<b>CONTENT</b>,FURLONG,\nEVIL,1,1,\n");
  write("in/ada/set.txt", "EVIL.key=1\n");
  write("in/ada/kernel.tct", "tct 1\nEVIL here\n");
  const ChildResult result = graded();
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(reason_of("own"), "wrong unit: the sheet asks for 'SMs'");
  EXPECT_THAT(reason_of("kernel"), HasSubstr("kernel.tct: tcsim ends with status 2 on it"));
  for (const char* text : {"EVIL", "FURLONG", "CONTENT"})
    EXPECT_THAT(all_of(result), Not(HasSubstr(text)));
}

TEST_F(HostileSubmission, AnEndlessKernelIsEndedAtTheLimit) {
  write_lab(2);
  write("in/ada/kernel.tct", kernel("2147483647 1 1"));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(graded().status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(points_of("kernel"), 0);
  EXPECT_THAT(reason_of("kernel"),
              testing::AnyOf(HasSubstr("takes longer than 2 s"), HasSubstr("ends with status")));
}

// `timeout` signals its child and then its group.
TEST_F(HostileSubmission, WhatIsGradedStaysIfTheRestTakesTooLong) {
  write("roster.csv", "student\nada\nbob\n");
  fs::copy("in/ada", "in/bob");
  write("in/bob/kernel.tct", kernel("2147483647 1 1"));
  const ChildResult result = cli::command(
      {"/bin/sh", "-c",
       "\"$0\" lab grade 1 in --labs labs --solutions solutions --roster roster.csv --secret none "
       "-o out > log & "
       "for i in $(seq 600); do grep -q ada log && break; sleep 0.1; done; cp log before; "
       "kill -TERM $!; sleep 0.001; kill -TERM $!; wait $!",
       cli::program()});
  EXPECT_EQ(result.status, 130);
  EXPECT_THAT(text_of("before"), HasSubstr("2 of 3"));
  EXPECT_EQ(text_of("out/grades.csv"), "lab,student,points,most,remark\n1,ada,2,3,\n");
}

TEST_F(HostileSubmission, WhatIsGradedIsInTheTableIfAMistakeEndsTheCommand) {
  write("roster.csv", "student\nada\nbob\n");
  fs::copy("in/ada", "in/bob");
  fs::create_directories("out");
  fs::create_directory("elsewhere");
  link("elsewhere", "out/bob");
  EXPECT_EQ(graded().status, 5);
  EXPECT_EQ(text_of("out/grades.csv"), "lab,student,points,most,remark\n1,ada,2,3,\n");
}

TEST_F(HostileSubmission, TheRosterSaysWhoItIs) {
  write("in/ada/student.txt", "bob\",=1+1\nforged,row\n");
  const ChildResult first = graded({"--show-expected"});
  EXPECT_THAT(first.output, Not(HasSubstr("bob")));
  EXPECT_THAT(all_of(first), Not(HasSubstr("forged")));
  fs::remove_all("out");
  write("in/ada/student.txt", "somebody else\n");
  EXPECT_EQ(graded({"--show-expected"}).output, first.output);  // the numbers of ada
}

TEST_F(HostileSubmission, AFolderThatNobodyHasIsNotGraded) {
  fs::create_directory("in/=1+1");
  const ChildResult result = graded();
  EXPECT_THAT(result.errors, HasSubstr("=1+1: not on the roster; not graded"));
  EXPECT_THAT(text_of("out/grades.csv"), Not(HasSubstr("=1+1")));
}

TEST_F(HostileSubmission, NothingIsWrittenWhereItWasHandedIn) {
  write("victim", "mine\n");
  for (int process = ::getpid(); process < ::getpid() + 2000; ++process)
    fs::create_symlink(fs::absolute("victim"),
                       "in/ada/results.json.writing-" + std::to_string(process));
  link("victim", "in/ada/results.json");
  link("victim", "in/ada/grade.csv");
  EXPECT_EQ(graded().status, 0);
  EXPECT_EQ(text_of("victim"), "mine\n");
  const auto refused = [](const char* out) {
    const ChildResult result =
        tcsim({"lab", "grade", "1", "in", "--labs", "labs", "--solutions", "solutions", "--roster",
               "roster.csv", "--secret", "none", "-o", out});
    EXPECT_EQ(result.status, 2) << out;
    EXPECT_THAT(result.errors, HasSubstr("grades do not go into the folder that was handed in"));
  };
  refused("in");
  refused("in/ada");
  refused("in/ada/../new");
  fs::create_symlink(fs::absolute("in/ada"), "looks-harmless");
  refused("looks-harmless/x");
}

TEST_F(HostileSubmission, WhatLiesInTheFolderOfTheGradesIsNotWrittenTo) {
  write("victim", "mine\n");
  fs::create_directories("out");
  link("victim", "out/grades.csv");
  EXPECT_EQ(graded().status, 5);
  fs::remove("out/grades.csv");
  fs::create_directories("out/ada");
  link("victim", "out/ada/results.json");
  const ChildResult file = graded();
  EXPECT_EQ(file.status, 5);
  EXPECT_THAT(file.errors,
              HasSubstr("results.json: exists; name a folder without earlier results"));
  fs::remove_all("out/ada");
  fs::create_directory("elsewhere");
  link("elsewhere", "out/ada");
  EXPECT_EQ(graded().status, 5);
  EXPECT_TRUE(fs::is_empty("elsewhere"));
  EXPECT_EQ(text_of("victim"), "mine\n");
}

TEST_F(HostileSubmission, RightValuesNeedTheSecret) {
  const ChildResult result =
      tcsim({"lab", "grade", "1", "in/ada", "--labs", "labs", "--solutions", "solutions",
             "--student", "ada", "-o", "out", "--show-expected"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("with which course secret?"));
  EXPECT_EQ(result.output, "");
}

TEST_F(HostileSubmission, TheLabIsTheOneThatTheInstructorNames) {
  write("in/ada/lab.yaml", std::string(100000, '[') + "\nlab: 9\n");
  EXPECT_EQ(graded().status, 0);
  EXPECT_EQ(reason_of("setting"), "met");
}

TEST_F(HostileSubmission, ACheckOfItsFormReadsNoLinksEither) {
  link("course.key", "in/ada/lab.yaml");
  const ChildResult result = tcsim({"lab", "check", "in/ada", "--labs", "labs"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("in/ada/lab.yaml: a symbolic link, which is not read"));
}

TEST_F(HostileSubmission, ALinkToAFolderIsToldAsSuchWithASlashToo) {
  link("in/ada", "link");
  for (const std::string name : {"link", "link/"}) {
    const ChildResult result = tcsim({"lab", "check", name, "--labs", "labs"});
    EXPECT_EQ(result.status, 5);
    EXPECT_THAT(result.errors, HasSubstr(name + ": a symbolic link; name the folder itself"));
  }
}

}  // namespace
}  // namespace tcsim::labs
