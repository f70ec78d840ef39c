#include "sim/files/read_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/files/atomic_file.hpp"
#include "tests/files/every_kind.hpp"
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
    EXPECT_EQ(read_file(path, FileKind::kTensor), text) << size;
    const auto bytes = read_bytes(path, FileKind::kTensor);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text) << size;
  }
}

TEST(ReadFile, ReadsFilesThatSayTheyAreEmpty) {
  EXPECT_NE(read_file("/proc/self/status", FileKind::kLab).find("VmRSS"), std::string::npos);
  EXPECT_EQ(read_file("/dev/null", FileKind::kMachine), "");
}

TEST(ReadFile, RefusesTextThatIsNotUtf8WithItsPlace) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "latin1.yaml";
  write_atomically(path, "a: 1\ndescription: caf\xe9\n");
  EXPECT_THAT([&] { (void)read_file(path, FileKind::kMachine); },
              ThrowsMessage<ContentError>(path.string() +
                                          ":2:17: byte 0xe9 is not UTF-8; save the file as UTF-8"));
  EXPECT_EQ(read_file(path, FileKind::kTensor).size(), 23U);
}

TEST(ReadFile, KnowsUtf16AndBytesThatNoTextHas) {
  EXPECT_THAT(
      [] {
        require_text(
            "\xff\xfe"
            "a",
            "list.csv");
      },
      ThrowsMessage<ContentError>("list.csv:1:1: byte 0xff is not UTF-8 but may start "
                                  "UTF-16; save the file as UTF-8"));
  EXPECT_THAT([] { require_text(std::string_view("ab\n\ncd\0", 7), "k.tct"); },
              ThrowsMessage<ContentError>("k.tct:3:3: byte 0x00 is not text"));
}

TEST(FileKinds, TheDocumentStatesEveryLimit) {
  const std::string document = read_file(TC_SOURCE_DIR "/docs/files.md", FileKind::kLab);
  for (const FileKindInfo& kind : every_kind()) {
    const std::string size =
        kind.bytes == kUnlimited ? "any size, a line of 1 MiB" : size_text(kind.bytes);
    EXPECT_THAT(document, HasSubstr("| " + std::string(kind.name) + " | " + size + " | " +
                                    (kind.is_text ? "yes" : "no") + " | " +
                                    (kind.is_unpacked ? "yes" : "no") + " |\n"));
  }
  EXPECT_THAT(document, HasSubstr("up to " + size_text(kStreamBytes) + " at most"));
  EXPECT_THAT(document, HasSubstr(std::to_string(kMostUnpacking) + " times its packed size"));
}

TEST(FileKinds, EveryKindHasARowAndALimitThatAMessageCanState) {
  for (const FileKindInfo& kind : every_kind()) EXPECT_FALSE(kind.name.empty());
  EXPECT_EQ(size_text(kMebibyte), "1 MiB");
  EXPECT_EQ(size_text(1023), "1023 bytes");
  EXPECT_EQ(size_text(2048 * kMebibyte - 1), "2 GiB");
}

}  // namespace
}  // namespace tcsim::files
