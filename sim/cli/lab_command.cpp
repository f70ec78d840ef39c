#include "sim/cli/lab_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/prctl.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/lab_runs.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/labs/grade.hpp"
#include "sim/labs/grade_text.hpp"
#include "sim/labs/results_folder.hpp"
#include "sim/labs/roster.hpp"
#include "sim/labs/secret.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/labs/start.hpp"
#include "sim/text/number.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;

struct LabOptions {
  std::string labs;
  std::string number;
  std::string folder;  ///< handed in; with a roster, the one that holds those of all students
  std::string student;
  std::string roster;
  std::string secret;
  std::string solutions;
  std::string out;
  bool show_expected = false;
};

constexpr std::string_view kNoSecret = "none";

labs::Lab lab_of_number(const LabOptions& options, int number) {
  const fs::path root =
      options.labs.empty() ? files::data_folder("docs/labs") : fs::path(options.labs);
  for (labs::Lab& lab : labs::read_labs(root))
    if (lab.number == number) return std::move(lab);
  throw UsageError(fmt::format("tcsim lab: there is no lab {}; see tcsim lab list", number));
}

labs::Lab wanted_lab(const LabOptions& options, const char* command) {
  const auto number = text::number_of<int>(options.number);
  if (!number)
    throw UsageError(
        fmt::format("tcsim lab {}: '{}' is not the number of a lab", command, options.number));
  return lab_of_number(options, *number);
}

/// The numbers that `students` draw. The secret is in memory no longer than this takes.
std::vector<labs::Parameters> drawn(const LabOptions& options, const labs::Lab& lab,
                                    const std::vector<labs::Enrolled>& students) {
  std::optional<labs::CourseSecret> secret;
  if (options.secret.empty() || options.secret == kNoSecret)
    secret.emplace();
  else
    secret.emplace(options.secret);
  std::vector<labs::Parameters> parameters;
  for (const labs::Enrolled& student : students)
    parameters.push_back(labs::draw(lab, student.student, secret->text()));
  return parameters;
}

/// The students whom --roster or --student names; both: that one of the roster.
std::vector<labs::Enrolled> named_students(const LabOptions& options) {
  if (const std::string mistake = labs::id_mistake(options.student); !mistake.empty())
    throw UsageError("tcsim lab: --student: " + mistake);
  if (options.roster.empty()) return {{options.student, ""}};
  std::vector<labs::Enrolled> students = labs::read_roster(options.roster);
  if (options.student.empty()) return students;
  std::erase_if(students, [&](const auto& row) { return row.student != options.student; });
  if (students.empty())
    throw UsageError(
        fmt::format("tcsim lab: {}: no student is called {}", options.roster, options.student));
  return students;
}

int list(const LabOptions& options) {
  const auto labs = labs::read_labs(options.labs.empty() ? files::data_folder("docs/labs")
                                                         : fs::path(options.labs));
  std::size_t width = 0;
  for (const labs::Lab& lab : labs) width = std::max(width, lab.title.size());
  for (const labs::Lab& lab : labs)
    fmt::print(std::cout, "{:>2}  {:<{}}  {}\n", lab.number, lab.title, width, lab.goal);
  return kDone;
}

void start_one(const labs::Lab& lab, const labs::Parameters& parameters, const fs::path& target) {
  labs::start(lab, parameters, target);
  fmt::print(std::cout, "{}/  read handout.md, fill in answers.csv and report.md\n",
             target.string());
  for (const auto& [name, value] : parameters)
    fmt::print(std::cout, "  your {} = {}\n", name, value);
}

int start(const LabOptions& options) {
  const labs::Lab lab = wanted_lab(options, "start");
  if (options.student.empty() && options.roster.empty())
    throw UsageError(
        "tcsim lab start: whose numbers? Add --student ID, or --roster FILE for a folder per "
        "student");
  const std::vector<labs::Enrolled> students = named_students(options);
  const std::vector<labs::Parameters> parameters = drawn(options, lab, students);
  const fs::path target =
      options.out.empty() ? fs::path(lab.folder.filename()) : fs::path(options.out);
  for (std::size_t i = 0; i < students.size(); ++i)
    start_one(lab, parameters[i], options.roster.empty() ? target : target / students[i].student);
  return kDone;
}

int check(const LabOptions& options) {
  if (options.folder.empty()) throw UsageError("tcsim lab: which folder? See tcsim lab --help");
  const labs::Submission submission(options.folder);
  int number = 0;
  try {
    number = labs::lab_number_of(submission);
  } catch (const labs::UnknownLab& error) {
    throw UsageError((fs::path(options.folder) / error.what()).string() +
                     "; name the folder that tcsim lab start made");
  }
  const labs::Lab lab = lab_of_number(options, number);
  const std::vector<std::string> mistakes = labs::check_submission(submission, lab);
  for (const std::string& mistake : mistakes) fmt::print(std::cout, "{}\n", mistake);
  const labs::HandedIn figure = submission.read(lab.figure, labs::kMostBytesHandedIn);
  if (!figure.text)
    fmt::print(std::cout, "{}: {}; a figure in report.md will do\n", lab.figure, figure.refusal);
  fmt::print(std::cout, "lab {}: {}\n", lab.number,
             mistakes.empty() ? "complete; values are not checked here"
                              : fmt::format("{} to fix", mistakes.size()));
  return mistakes.empty() ? kDone : kCheckFailed;
}

/// Grades the submissions of one lab, one after the other.
class Grading {
 public:
  Grading(const LabOptions& options, labs::Lab lab)
      : options_(options),
        lab_(std::move(lab)),
        solution_(labs::read_solution(fs::path(options.solutions) / lab_.folder.filename(), lab_)) {
  }

  labs::Grade grade(const fs::path& folder, const std::string& student,
                    const labs::Parameters& parameters) {
    std::optional<labs::Submission> submission;
    try {
      submission.emplace(folder);
    } catch (const labs::NoSubmission& error) {
      if (options_.roster.empty()) throw;
      return labs::grade_of_nothing(lab_, solution_, student,
                                    "no folder handed in: " + error.reason());
    }
    return labs::grade(lab_, solution_, *submission, student, parameters, outputs_,
                       [this](const labs::Job& job) {
                         return run_lab_job(job, static_cast<double>(lab_.time_limit_s));
                       });
  }

 private:
  const LabOptions& options_;
  labs::Lab lab_;
  labs::Solution solution_;
  labs::Outputs outputs_;
};

void write_grade(const labs::ResultsFolder& out, const labs::Grade& grade) {
  out.write("results.json", labs::gradescope_json(grade));
  out.write("grade.csv", labs::grade_csv(grade));
}

void require_grading_options(const LabOptions& options) {
  const auto refuse = [](const char* reason) {
    throw UsageError(std::string("tcsim lab grade: ") + reason);
  };
  if (options.folder.empty()) refuse("which folder? See tcsim lab grade --help");
  if (options.student.empty() && options.roster.empty())
    refuse("who handed this in? Add --student ID, or --roster FILE for a folder of folders");
  if (options.secret.empty())
    refuse("with which course secret? Add --secret FILE, or --secret none for a course without");
  if (options.solutions.empty()) refuse("where are the solutions? Add --solutions FOLDER");
  if (options.out.empty()) refuse("where do the grades go? Add -o FOLDER");
  const fs::path out = fs::weakly_canonical(fs::absolute(options.out));
  const fs::path handed_in = fs::weakly_canonical(fs::absolute(options.folder));
  const fs::path beside = out.lexically_relative(handed_in);
  if (!beside.empty() && *beside.begin() != "..")
    refuse("-o: grades do not go into the folder that was handed in");
}

/// One line of a student, and the marks in a folder of the student's name. Whatever ends it early,
/// those who were graded are in the table of all.
int grade_roster(const LabOptions& options, Grading& grading,
                 const std::vector<labs::Enrolled>& students,
                 const std::vector<labs::Parameters>& parameters) {
  const labs::ResultsFolder out(options.out);
  out.require_absent(labs::kGradesFile);
  std::vector<labs::Grade> grades;
  std::exception_ptr mistake;
  for (std::size_t i = 0; i < students.size() && InterruptGuard::pending_signal() == 0; ++i) {
    const std::string& student = students[i].student;
    try {
      labs::Grade grade =
          grading.grade(fs::path(options.folder) / students[i].folder, student, parameters[i]);
      write_grade(out.below(student), grade);
      grades.push_back(std::move(grade));
    } catch (const GradingInterrupted&) {
      break;
    } catch (const std::exception&) {
      if (grades.empty()) throw;
      mistake = std::current_exception();
      break;
    }
    const labs::Grade& grade = grades.back();
    if (options.show_expected)
      fmt::print(std::cout, "{}\n", labs::grade_table(grade, true));
    else
      fmt::print(std::cout, "{:<24}  {:g} of {:g}  {}\n", student, grade.points(), grade.most(),
                 grade.remark);
    std::cout.flush();  // what is graded is told, however the next submission ends
  }
  out.write(labs::kGradesFile, labs::grades_csv(grades));
  fmt::print(std::cout, "{}/  {}, and of each student results.json and grade.csv\n", options.out,
             labs::kGradesFile);
  if (mistake) std::rethrow_exception(mistake);
  return grades.size() == students.size() ? kDone : kInterrupted;
}

/// Folders that nobody on the roster has, which are not graded: for the instructor to look at; none
/// if only one student is graded. Throws IoError if the folder of all students cannot be read.
void tell_unknown_folders(const LabOptions& options, const std::vector<labs::Enrolled>& students) {
  std::error_code error;
  const fs::directory_iterator entries(options.folder, error);
  if (error) throw IoError(options.folder + ": " + error.message());
  if (!options.student.empty()) return;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(students, name, &labs::Enrolled::folder) == students.end())
      fmt::print(std::cerr, "{}: not on the roster; not graded\n", text::one_line(name));
  }
}

int grade_one(const LabOptions& options, Grading& grading, const labs::Parameters& parameters) {
  const labs::ResultsFolder out(options.out);
  for (const char* name : {"results.json", "grade.csv"}) out.require_absent(name);
  std::optional<labs::Grade> result;
  try {
    result = grading.grade(options.folder, options.student, parameters);
  } catch (const GradingInterrupted&) {
    return kInterrupted;
  }
  write_grade(out, *result);
  fmt::print(std::cout, "{}{}/  results.json  grade.csv\n",
             labs::grade_table(*result, options.show_expected), options.out);
  return kDone;
}

int grade(const LabOptions& options) {
  const labs::Lab lab = wanted_lab(options, "grade");
  require_grading_options(options);
  ::prctl(PR_SET_DUMPABLE, 0);  // no process of this user looks into the memory of this one
  const std::vector<labs::Enrolled> students = named_students(options);
  const std::vector<labs::Parameters> parameters = drawn(options, lab, students);
  Grading grading(options, lab);
  const InterruptGuard guard;
  if (!options.roster.empty()) {
    tell_unknown_folders(options, students);
    return grade_roster(options, grading, students, parameters);
  }
  return grade_one(options, grading, parameters.front());
}

void add_who(CLI::App& command, const std::shared_ptr<LabOptions>& options) {
  command.add_option("--student", options->student,
                     "Id of the student for whom the numbers are drawn");
  command.add_option("--roster", options->roster,
                     "CSV with a column student and, where folders have other names, folder");
}

/// Adds a command; `add` names its options.
template <typename Add>
void add_command(CLI::App& app, const char* name, const char* sentence,
                 int (*action)(const LabOptions&), int& status, const Add& add) {
  const auto options = std::make_shared<LabOptions>();
  CLI::App* command = app.add_subcommand(name, sentence);
  command->add_option("--labs", options->labs, "Folder of the labs (default: those of tcsim)");
  add(*command, options);
  command->callback([options, action, &status] { status = action(*options); });
}

}  // namespace

void add_lab_command(CLI::App& app, int& status) {
  using Options = std::shared_ptr<LabOptions>;
  CLI::App* command = app.add_subcommand("lab", "The labs of the course: start, check, grade");
  command->require_subcommand(0, 1);
  add_command(*command, "list", "Print the labs", list, status, [](CLI::App&, const Options&) {});
  add_command(*command, "start", "Copy a lab with a student's numbers filled in", start, status,
              [](CLI::App& start, const Options& options) {
                start.add_option("number", options->number, "Number of the lab");
                add_who(start, options);
                start.add_option("--secret", options->secret,
                                 "File with the course secret, or none (default: none, the same "
                                 "numbers in all courses)");
                start.add_option("-o,--out", options->out,
                                 "Folder to create; with --roster, the parent of all");
              });
  add_command(*command, "check", "Check the form of what is handed in, never its values", check,
              status, [](CLI::App& check, const Options& options) {
                check.add_option("folder", options->folder, "Folder handed in");
              });
  add_command(*command, "grade", "Compute the answers again and compare", grade, status,
              [](CLI::App& grade, const Options& options) {
                grade.add_option("number", options->number, "Number of the lab");
                grade.add_option("folder", options->folder,
                                 "Folder handed in; with --roster, the parent of the folders of "
                                 "all students");
                add_who(grade, options);
                grade.add_option("--secret", options->secret,
                                 "File with the course secret, or none");
                grade.add_option("--solutions", options->solutions, "The instructor's folder");
                grade.add_option("-o,--out", options->out,
                                 "Folder for the grades, outside what was handed in");
                grade.add_flag("--show-expected", options->show_expected,
                               "Also print the right values, for the instructor");
              });
}

}  // namespace tcsim::cli
