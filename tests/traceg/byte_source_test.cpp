#include "workloads/traceg/byte_source.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct_cursor.hpp"
#include "workloads/traceg/byte_sink.hpp"
#include "workloads/traceg/line_reader.hpp"

namespace tcsim::traceg {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string all_of(ByteSource& source) {
  std::string text;
  std::vector<char> chunk(1000);
  for (std::size_t size = 0; (size = source.read(chunk)) > 0;) text.append(chunk.data(), size);
  return text;
}

/// A megabyte that packs well but not away.
std::string sample() {
  std::string text;
  for (std::int64_t i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i * i) + " line\n";
  return text;
}

/// The bytes of a file written with the ending `ending`.
std::string packed(const std::string& ending) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("tcsim-bytes-" + std::to_string(::getpid()) + ending);
  const auto sink = create_file(path.string());
  const std::string text = sample();
  sink->write(std::string_view(text).substr(0, 12345));
  sink->write(std::string_view(text).substr(12345));
  sink->finish();
  EXPECT_EQ(all_of(*open_file(path.string())), text);
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return bytes.str();
}

class Packing : public ::testing::TestWithParam<const char*> {};

TEST_P(Packing, GivesBackWhatWasWritten) {
  const std::string bytes = packed(GetParam());
  EXPECT_EQ(all_of(*open_bytes(bytes, "memory")), sample());
  // Files one after the other are one file: xz and zstd manuals.
  EXPECT_EQ(all_of(*open_bytes(bytes + bytes, "memory")), sample() + sample());
}

INSTANTIATE_TEST_SUITE_P(Forms, Packing, ::testing::Values(".txt", ".xz", ".zst"));

class DamagedPacking : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedPacking, IsRefused) {
  const std::string whole = packed(GetParam());
  std::string cut = whole.substr(0, whole.size() - 9);
  EXPECT_THROW(all_of(*open_bytes(cut, "cut")), InputFileError);
  std::string changed = whole;
  changed[whole.size() / 2] = static_cast<char>(changed[whole.size() / 2] ^ 0x10);
  EXPECT_THROW(all_of(*open_bytes(changed, "changed")), InputFileError);
}

INSTANTIATE_TEST_SUITE_P(Forms, DamagedPacking, ::testing::Values(".xz", ".zst"));

TEST(OpenFile, SaysWhatIsMissing) {
  try {
    open_file("no/such/file");
    FAIL();
  } catch (const InputFileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such/file: cannot open: No such file"));
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  LineReader reader(open_bytes(text, "memory"));
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

TEST(LineReader, CutsAtLineBreaksOfBothKinds) {
  EXPECT_THAT(lines_of("a\nb\r\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines_of(""), ElementsAre());
}

TEST(LineReader, TakesLinesOfAMebibyteAndNoLonger) {
  const std::string longest(LineReader::kLongestLine, 'x');
  EXPECT_THAT(lines_of("a\n" + longest + "\nb"), ElementsAre("a", longest, "b"));
  EXPECT_THROW(lines_of("a\n" + longest + longest + "\nb"), trace::Mistake);
}

}  // namespace
}  // namespace tcsim::traceg
