#include "sim/labs/grade_text.hpp"

#include "sim/files/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/text/outgoing.hpp"

namespace tcsim::labs {

std::string grade_table(const Grade& grade, bool show_expected) {
  std::size_t width = 0;
  for (const Mark& mark : grade.marks) width = std::max(width, mark.name.size());
  std::string text =
      fmt::format("lab {}: {}    student {}\n\n", grade.lab, grade.title, grade.student);
  if (!grade.remark.empty()) text += grade.remark + "\n\n";
  for (const Mark& mark : grade.marks) {
    const std::string points = mark.by_hand ? fmt::format("?/{:g}", mark.most)
                                            : fmt::format("{:g}/{:g}", mark.points, mark.most);
    text += fmt::format("  {:<{}}  {:>6}  {}", mark.name, width, points, mark.reason);
    if (show_expected && !mark.expected.empty()) text += "; expected " + mark.expected;
    text += "\n";
  }
  return text + fmt::format("\n{:g} of {:g} points; questions marked ? are graded by hand\n",
                            grade.points(), grade.most());
}

std::string gradescope_json(const Grade& grade) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::array();
  for (const Mark& mark : grade.marks) {
    tests.push_back({{"name", mark.name},
                     {"score", mark.points},
                     {"max_score", mark.by_hand ? 0 : mark.most},
                     {"output", mark.reason},
                     {"visibility", "visible"}});
  }
  std::string output = fmt::format("Lab {}: {}", grade.lab, grade.title);
  if (!grade.remark.empty()) output += "\n" + grade.remark;
  const nlohmann::ordered_json json{
      {"output", output}, {"visibility", "visible"}, {"tests", tests}};
  return files::json_text(json, 2) + "\n";
}

std::string grade_csv(const Grade& grade) {
  std::string text = "lab,student,name,points,most,reason\n";
  for (const Mark& mark : grade.marks)
    text += fmt::format("{},{},{},{},{:g},{}\n", grade.lab, text::csv_field(grade.student),
                        text::csv_field(mark.name),
                        mark.by_hand ? "" : fmt::format("{:g}", mark.points), mark.most,
                        text::csv_field(mark.reason));
  return text;
}

std::string grades_csv(const std::vector<Grade>& grades) {
  std::string text = "lab,student,points,most,remark\n";
  for (const Grade& grade : grades)
    text += fmt::format("{},{},{:g},{:g},{}\n", grade.lab, text::csv_field(grade.student),
                        grade.points(), grade.most(), text::csv_field(grade.remark));
  return text;
}

}  // namespace tcsim::labs
