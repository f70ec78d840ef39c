#include "tests/microbench/published_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/files/read_file.hpp"

namespace tcsim::microbench {

std::vector<MeasuredRow> measure_rows(const std::string& machine,
                                      const std::function<bool(const PublishedRow&)>& wanted,
                                      const std::vector<std::string>& overrides) {
  const std::string file = published_table_file(machine);
  std::vector<MeasuredRow> measured;
  for (const PublishedRow& row :
       read_published_table(files::read_file(file, files::FileKind::kTable), file)) {
    if (!wanted(row)) continue;
    measured.push_back(measure(row, machine, overrides, {}));
    EXPECT_TRUE(measured.back().model.has_value()) << row.name << ": " << measured.back().reason;
    if (!measured.back().model) measured.pop_back();
  }
  return measured;
}

int rows_beyond(const std::vector<MeasuredRow>& rows, double percent) {
  return static_cast<int>(std::ranges::count_if(
      rows, [percent](const MeasuredRow& row) { return std::abs(row.error_percent()) > percent; }));
}

}  // namespace tcsim::microbench
