#include "sim/text/print.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace tcsim::text {
namespace {

TEST(Print, ShowsControlCharactersOfArguments) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  ASSERT_NE(file, nullptr);
  print(file.get(), "{}: {}\n", "name\x1b[2J", 7);
  std::rewind(file.get());
  std::array<char, 64> text{};
  const std::size_t length = std::fread(text.data(), 1, text.size(), file.get());
  EXPECT_EQ(std::string(text.data(), length), "name\\u001b[2J: 7\n");
}

}  // namespace
}  // namespace tcsim::text
