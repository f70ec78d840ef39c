#include "sim/files/line_reader.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "sim/files/content_error.hpp"
#include "tests/support/memory_file.hpp"

namespace tcsim::files {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

std::vector<std::string> lines_of(const std::string& text) {
  LineReader reader(test::open_bytes(text, "memory", FileKind::kRecording), "memory");
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
  for (const std::string& more : {std::string("x"), longest})
    EXPECT_THAT([&] { lines_of("a\n" + longest + more + "\nb"); },
                ThrowsMessage<ContentError>(
                    "memory:2:1048576: line: longer than 1 MiB; no such text has that"));
}

TEST(LineReader, RefusesBytesThatAreNoTextWithTheirPlace) {
  EXPECT_THAT(
      [] { lines_of("-kernel name = caf\xe9\n"); },
      ThrowsMessage<ContentError>("memory:1:19: byte 0xe9 is not UTF-8; save the file as UTF-8"));
}

}  // namespace
}  // namespace tcsim::files
