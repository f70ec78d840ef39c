#include "sim/files/read_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/files/atomic_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::files {
namespace {

using test::TemporaryDirectory;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ReadFile, ReturnsEveryByteOfShortAndLongFiles) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "bytes";
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{1} << 20, (std::size_t{1} << 20) + 3}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7);
    write_atomically(path, text);
    const auto bytes = read_file(path);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text) << size;
  }
}

TEST(ReadFile, NamesTheFileAndTheReasonWhenItCannot) {
  const TemporaryDirectory directory;
  const auto missing = directory.path() / "missing";
  EXPECT_THAT(
      [&] { (void)read_file(missing); },
      ThrowsMessage<IoError>(missing.string() + ": cannot read: No such file or directory"));
  EXPECT_THAT([&] { (void)read_file(directory.path()); },
              ThrowsMessage<IoError>(HasSubstr(": cannot read: Is a directory")));
}

}  // namespace
}  // namespace tcsim::files
