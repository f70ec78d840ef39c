#include "sim/cli/lab_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/read_file.hpp"
#include "sim/labs/grade.hpp"
#include "sim/labs/grade_text.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/labs/start.hpp"
#include "sim/process/child_pool.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;

struct LabOptions {
  std::string labs;
  std::string target;  ///< a lab's number, or a folder handed in
  std::string student;
  std::string secret;
  std::string solutions;
  std::string out;
  bool show_expected = false;
};

fs::path root_of(const LabOptions& options) {
  return options.labs.empty() ? files::data_folder("docs/labs") : fs::path(options.labs);
}

labs::Lab lab_of_number(const LabOptions& options, int number) {
  for (labs::Lab& lab : labs::read_labs(root_of(options)))
    if (lab.number == number) return std::move(lab);
  throw UsageError(fmt::format("tcsim lab: there is no lab {}; see tcsim lab list", number));
}

/// The course's lab for a folder handed in, whose own lab.yaml says no more than the number.
labs::Lab lab_of_folder(const LabOptions& options) {
  if (options.target.empty()) throw UsageError("tcsim lab: which folder? See tcsim lab --help");
  return lab_of_number(options, labs::read_lab(options.target).number);
}

/// The course secret: the text of a file without the line break at its end; empty if none is given.
std::string secret_of(const LabOptions& options) {
  if (options.secret.empty()) return "";
  std::string text = files::read_file(options.secret, files::FileKind::kLab);
  text.erase(text.find_last_not_of("\r\n") + 1);
  if (text.empty()) throw UsageError(options.secret + ": the course secret is empty");
  return text;
}

int list(const LabOptions& options) {
  for (const labs::Lab& lab : labs::read_labs(root_of(options)))
    fmt::print(std::cout, "{:>2}  {:<28}  {}\n", lab.number, lab.title, lab.goal);
  return kDone;
}

int start(const LabOptions& options) {
  int number = 0;
  const char* const end = options.target.data() + options.target.size();
  if (const auto parsed = std::from_chars(options.target.data(), end, number);
      parsed.ec != std::errc{} || parsed.ptr != end) {
    throw UsageError(
        fmt::format("tcsim lab start: '{}' is not the number of a lab", options.target));
  }
  const labs::Lab lab = lab_of_number(options, number);
  const labs::Parameters parameters = labs::draw(lab, options.student, secret_of(options));
  const fs::path target =
      options.out.empty() ? fs::path(lab.folder.filename()) : fs::path(options.out);
  labs::start(lab, options.student, parameters, target);
  fmt::print(std::cout, "{}/  read handout.md, fill in answers.csv and report.md\n",
             target.string());
  for (const auto& [name, value] : parameters)
    fmt::print(std::cout, "  your {} = {}\n", name, value);
  return kDone;
}

int check(const LabOptions& options) {
  const labs::Lab lab = lab_of_folder(options);
  const std::vector<std::string> mistakes = labs::check_submission(options.target, lab);
  for (const std::string& mistake : mistakes) fmt::print(std::cout, "{}\n", mistake);
  fmt::print(std::cout, "lab {}: {}\n", lab.number,
             mistakes.empty() ? "complete; values are not checked here"
                              : fmt::format("{} to mend", mistakes.size()));
  return mistakes.empty() ? kDone : kCheckFailed;
}

/// This program with `arguments`; its first line of standard error is the reason if it fails.
std::string run_tcsim(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  process::PoolEvents events;
  events.finished = [](std::size_t, const process::ChildResult&) {};
  events.pending_signal = InterruptGuard::pending_signal;
  const process::ChildResult result = process::ChildPool({}).run({command}, events).front();
  if (result.status == kDone && result.signal == 0) return result.output;
  throw labs::CommandFailed(result.errors.substr(0, result.errors.find('\n')));
}

/// Throws UsageError if a command of the solution itself fails.
labs::Grade grade_of(const labs::Lab& lab, const labs::Solution& solution,
                     const fs::path& submission, const std::string& student,
                     const labs::Parameters& parameters) {
  try {
    return labs::grade(lab, solution, fs::absolute(submission), student, parameters, run_tcsim);
  } catch (const labs::CommandFailed& error) {
    throw UsageError(
        fmt::format("tcsim lab grade: a command of the solution failed: {}", error.what()));
  }
}

int grade(const LabOptions& options) {
  const labs::Lab lab = lab_of_folder(options);
  if (options.solutions.empty())
    throw UsageError("tcsim lab grade: where are the solutions? Add --solutions FOLDER");
  const std::string student =
      options.student.empty() ? labs::student_of(options.target) : options.student;
  const labs::Parameters parameters = labs::draw(lab, student, secret_of(options));
  const labs::Solution solution =
      labs::read_solution(fs::path(options.solutions) / lab.folder.filename());
  const InterruptGuard guard;
  const labs::Grade result = grade_of(lab, solution, options.target, student, parameters);
  fmt::print(std::cout, "{}", labs::grade_table(result, options.show_expected));
  const fs::path out = options.out.empty() ? fs::path(options.target) : fs::path(options.out);
  fs::create_directories(out);
  files::write_atomically(out / "results.json", labs::gradescope_json(result));
  files::write_atomically(out / "grade.csv", labs::grade_csv(result));
  fmt::print(std::cout, "{}/  results.json  grade.csv\n", out.string());
  return kDone;
}

using Action = int (*)(const LabOptions&);

void add(CLI::App& app, const std::shared_ptr<LabOptions>& options, const char* name,
         const char* sentence, Action action, const char* target, int& status) {
  CLI::App* command = app.add_subcommand(name, sentence);
  if (target != nullptr) command->add_option("target", options->target, target);
  command->add_option("--labs", options->labs, "Folder of the labs (default: those of tcsim)");
  const bool has_student = action == start || action == grade;
  if (has_student) {
    command->add_option("--student", options->student, "Who: numbers are drawn for this id");
    command->add_option("--secret", options->secret,
                        "File with the course secret (default: none, the same for all courses)");
    command->add_option("-o,--out", options->out, "Folder to write");
  }
  if (action == grade) {
    command->add_option("--solutions", options->solutions, "The instructor's folder");
    command->add_flag("--show-expected", options->show_expected,
                      "Print the right values too, for the instructor");
  }
  command->callback([options, action, &status] { status = action(*options); });
}

}  // namespace

void add_lab_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("lab", "The labs of the course: start, check, grade");
  command->require_subcommand(0, 1);
  const auto options = std::make_shared<LabOptions>();
  add(*command, options, "list", "Print the labs", list, nullptr, status);
  add(*command, options, "start", "Copy a lab with a student's numbers filled in", start,
      "Number of the lab", status);
  add(*command, options, "check", "Check the form of what is handed in, never its values", check,
      "Folder handed in", status);
  add(*command, options, "grade", "Compute the answers again and compare", grade,
      "Folder handed in", status);
}

}  // namespace tcsim::cli
