#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/timeline/kanata.hpp"
#include "sim/timeline/perfetto.hpp"
#include "sim/timeline/text_view.hpp"
#include "tests/timeline/recorded_programs.hpp"

namespace tcsim::timeline::test {
namespace {

/// Compares with tests/timeline/golden/NAME. A difference leaves what was made in the folder for
/// temporary files, to be looked at and, if it is right, copied over the golden file.
void expect_golden(const std::string& name, const std::string& made) {
  std::ifstream file(std::filesystem::path(TC_GOLDEN) / name, std::ios::binary);
  std::stringstream golden;
  golden << file.rdbuf();
  if (made == golden.str()) return;
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  std::ofstream(path, std::ios::binary) << made;
  ADD_FAILURE() << name << " differs from what was made, which is " << path;
}

TEST(TimelineGolden, Text) {
  expect_golden("load_multiply_store.txt", text_view(recorded(load_multiply_store(), 0, 100, 0)));
  expect_golden("hmma_loop.txt", text_view(recorded(hmma_loop(8, 20), 100, 164, 0)));
}

TEST(TimelineGolden, Kanata) {
  expect_golden("load_multiply_store.kanata",
                kanata_text(recorded(load_multiply_store(), 0, 1000, 0)));
}

TEST(TimelineGolden, Perfetto) {
  expect_golden("load_multiply_store.perfetto.json",
                perfetto_json(recorded(load_multiply_store(), 0, 100, 0)));
}

}  // namespace
}  // namespace tcsim::timeline::test
