#include "workloads/traceg/byte_sink.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/files/read_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::traceg {
namespace {

/// A megabyte that packs well but not away.
std::string sample() {
  std::string text;
  for (std::int64_t i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i * i) + " line\n";
  return text;
}

class Packing : public ::testing::TestWithParam<const char*> {};

TEST_P(Packing, WritesWhatTheReaderGivesBack) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / (std::string("trace") + GetParam());
  const auto sink = create_file(path.string());
  const std::string text = sample();
  sink->write(std::string_view(text).substr(0, 12345));
  sink->write(std::string_view(text).substr(12345));
  sink->finish();
  EXPECT_EQ(files::read_file(path, files::FileKind::kRecording), text);
  const bool is_packed = std::string_view(GetParam()) != ".txt";
  EXPECT_EQ(std::filesystem::file_size(path) < text.size() / 2, is_packed);
}

INSTANTIATE_TEST_SUITE_P(Forms, Packing, ::testing::Values(".txt", ".xz", ".zst"));

}  // namespace
}  // namespace tcsim::traceg
