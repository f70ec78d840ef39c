#include "sim/labs/roster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/tcsim_process.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::labs {
namespace {

class Roster : public ::testing::Test {
 protected:
  static std::vector<Enrolled> read(const std::string& text) {
    std::ofstream("roster.csv") << text;
    return read_roster("roster.csv");
  }
  static std::string mistakes_of(const std::string& text) {
    return test::refusal([&] { read(text); });
  }

  cli::TemporaryHome home_;
};

TEST_F(Roster, NamesStudentsAndTheirFolders) {
  const auto rows = read("mail,student,folder\r\nx,ada,\"Lovelace, Ada_123\"\r\ny,bob,b\r\n\r\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].student, "ada");
  EXPECT_EQ(rows[0].folder, "Lovelace, Ada_123");
}

TEST_F(Roster, TakesTheIdForTheFolderIfNoColumnSaysOtherwise) {
  EXPECT_EQ(read("\xEF\xBB\xBFstudent\nada\n").front().folder, "ada");
}

TEST_F(Roster, TakesTheIdForTheFolderIfItsCellIsEmpty) {
  const auto rows = read("student,folder\nada,a\nbob,\neve, \n");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].folder, "bob");
  EXPECT_EQ(rows[2].folder, "eve");
  EXPECT_EQ(mistakes_of("student,folder\nada,bob\nbob,\n"),
            "roster.csv:3:1: the folder 'bob' is listed twice");
}

TEST_F(Roster, RefusesWhatNamesNoStudentOrNoFolderInside) {
  EXPECT_EQ(mistakes_of("student,folder\n../x,a\n"),
            "roster.csv:2:1: '../x' names a file, and may have letters, digits and . _ - @ + only, "
            "the first a letter, a digit or _");
  for (const char* folder : {"..", ".", "a/b", "/etc"})
    EXPECT_EQ(mistakes_of(std::string("student,folder\nada,") + folder + "\n"),
              std::string("roster.csv:2:5: '") + folder + "' is not the name of one folder");
  EXPECT_EQ(mistakes_of("student\n=1+1\n").substr(0, 22), "roster.csv:2:1: '=1+1'");
}

TEST_F(Roster, NamesTheLineWithAnOpenQuote) {
  EXPECT_EQ(mistakes_of("student\nada\n\"bob\n"), "roster.csv:3:1: a quote is not closed");
  EXPECT_EQ(mistakes_of("\"student\nada\n"), "roster.csv:1:1: a quote is not closed");
}

TEST_F(Roster, RefusesWhoStandsThereTwice) {
  EXPECT_EQ(mistakes_of("student,folder\nada,a\nada,b\nbob,a\n"),
            "roster.csv:3:1: ada is listed twice\nroster.csv:4:5: the folder 'a' is listed twice");
}

// Whose folder could not be made beside the file.
TEST_F(Roster, RefusesWhoIsCalledLikeTheFileOfAllGrades) {
  EXPECT_EQ(
      mistakes_of("student\ngrades.csv\n"),
      "roster.csv:2:1: 'grades.csv' is a file that stands beside the folders of the students");
}

TEST_F(Roster, NamesTheColumnsThatAreMisspelt) {
  EXPECT_EQ(mistakes_of("Student ,FOLDER\nada,\n"),
            "roster.csv:1:1: header: column 'Student' is unknown; did you mean \"student\"?\n"
            "roster.csv:1:10: header: column 'FOLDER' is unknown; did you mean \"folder\"?");
}

TEST_F(Roster, IsSeparatedByCommas) {
  for (const char* text : {"student;folder\nada;\n", "Student\tfolder\nada\t\n"})
    EXPECT_EQ(mistakes_of(text),
              "roster.csv:1:1: fields must be separated by commas; save it as CSV with commas");
  EXPECT_EQ(read("student,folder\nada,extra\n").front().folder, "extra");
  EXPECT_EQ(read("student\nada,extra\n").front().folder, "ada");
}

TEST_F(Roster, RefusesNoRoster) {
  for (const char* text : {"name\nada\n", ""})
    EXPECT_EQ(mistakes_of(text), "roster.csv:1:1: header: column 'student' is missing");
  EXPECT_THAT(mistakes_of("student\n"), testing::HasSubstr("it lists no student"));
}

}  // namespace
}  // namespace tcsim::labs
