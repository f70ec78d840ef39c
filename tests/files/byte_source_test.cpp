#include "sim/files/byte_source.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "sim/files/atomic_file.hpp"
#include "sim/files/read_file.hpp"
#include "tests/files/every_kind.hpp"
#include "tests/support/memory_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::files {
namespace {

using test::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A megabyte that packs well but not away.
std::string sample() {
  std::string text;
  for (std::int64_t i = 0; text.size() < 1'000'000; ++i) text += std::to_string(i * i) + " line\n";
  return text;
}

std::string zstd(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), /*level=*/3));
  return bytes;
}

std::string xz(const std::string& text) {
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(
      lzma_easy_buffer_encode(/*preset=*/1, LZMA_CHECK_CRC64, nullptr,
                              reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                              reinterpret_cast<std::uint8_t*>(bytes.data()), &size, bytes.size()),
      LZMA_OK);
  bytes.resize(size);
  return bytes;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 16;
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string plain(const std::string& text) { return text; }

/// What comes of `bytes` as a kind, in reads of a thousand bytes.
std::string all_of(const std::string& bytes, FileKind kind) {
  const auto source = test::open_bytes(bytes, "memory", kind);
  std::string text;
  std::vector<char> chunk(1000);
  for (std::size_t size = 0; (size = source->read(chunk)) > 0;) text.append(chunk.data(), size);
  return text;
}

using Pack = std::string (*)(const std::string&);
class Packing : public ::testing::TestWithParam<Pack> {};

TEST_P(Packing, GivesBackWhatWasPacked) {
  const std::string bytes = GetParam()(sample());
  EXPECT_EQ(all_of(bytes, FileKind::kNetwork), sample());
  // Files one after the other are one file: manuals of gzip, xz and zstd.
  EXPECT_EQ(all_of(bytes + bytes, FileKind::kNetwork), sample() + sample());
  EXPECT_EQ(all_of(GetParam()(""), FileKind::kNetwork), "");
}

TEST_P(Packing, UnpacksNoMoreThanTheKindMayHave) {
  const std::string most(info(FileKind::kNetwork).bytes, 'x');
  EXPECT_EQ(all_of(GetParam()(most), FileKind::kNetwork).size(), most.size());
  const std::string bytes = GetParam()(most + "x");
  EXPECT_THAT([&] { all_of(bytes, FileKind::kNetwork); },
              ThrowsMessage<IoError>("memory: cannot read: larger than 16 MiB, the most that a "
                                     "network file may have"));
}

INSTANTIATE_TEST_SUITE_P(Forms, Packing, ::testing::Values(plain, gzip, xz, zstd));

class DamagedPacking : public ::testing::TestWithParam<Pack> {};

TEST_P(DamagedPacking, IsRefused) {
  const std::string whole = GetParam()(sample());
  EXPECT_THAT([&] { all_of(whole.substr(0, whole.size() - 9), FileKind::kNetwork); },
              ThrowsMessage<IoError>(
                  AllOf(HasSubstr("memory: cannot unpack: damaged "), HasSubstr("cut short"))));
  std::string changed = whole;
  changed[whole.size() / 2] = static_cast<char>(changed[whole.size() / 2] ^ 0x10);
  EXPECT_THAT([&] { all_of(changed, FileKind::kNetwork); },
              ThrowsMessage<IoError>(HasSubstr("memory: cannot unpack: damaged ")));
}

INSTANTIATE_TEST_SUITE_P(Forms, DamagedPacking, ::testing::Values(gzip, xz, zstd));

TEST(ByteSource, ARecordingIsReadWithoutEndButNotUnpackedWithoutEnd) {
  // 300 MB of one byte: 10 kB as Zstandard, more than a thousand times that.
  constexpr std::size_t kMegabytes = 300;
  std::string bytes;
  const std::string megabyte(1'000'000, '\n');
  for (std::size_t i = 0; i < kMegabytes; ++i) bytes += zstd(megabyte);
  const auto source = test::open_bytes(bytes, "bomb.traceg", FileKind::kRecording);
  std::vector<char> chunk(1 << 20);
  EXPECT_THAT(
      [&] {
        while (source->read(chunk) > 0) continue;
      },
      ThrowsMessage<IoError>(
          "bomb.traceg: cannot unpack: unpacks to more than 1000 times its size"));
}

TEST(ByteSource, ARegularFileIsRefusedByItsSizeBeforeItIsRead) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "sparse";
  write_atomically(path, "x");
  std::filesystem::resize_file(path, std::uintmax_t{3} << 30);
  for (const FileKindInfo& kind : every_kind()) {
    if (kind.bytes == kUnlimited) continue;
    EXPECT_THAT([&] { open_file(path, kind.kind); },
                ThrowsMessage<IoError>(HasSubstr(": cannot read: larger than ")))
        << kind.name;
  }
}

TEST(ByteSource, ADeviceIsReadUpToTheLimit) {
  for (const FileKindInfo& kind : every_kind()) {
    if (kind.bytes > 64 * kMebibyte) continue;
    EXPECT_THAT([&] { (void)read_file("/dev/zero", kind.kind); },
                ThrowsMessage<IoError>(HasSubstr("/dev/zero: cannot read: larger than ")))
        << kind.name;
  }
}

TEST(ByteSource, APipeIsReadToItsEnd) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    const int descriptor = ::open(path.c_str(), O_WRONLY);
    const std::string text = sample();
    for (std::size_t at = 0; at < text.size();)
      at += static_cast<std::size_t>(::write(descriptor, text.data() + at, text.size() - at));
    ::close(descriptor);
  });
  EXPECT_EQ(read_file(path, FileKind::kNetwork), sample());
  writer.join();
}

TEST(ByteSource, NamesTheFileAndTheReasonWhenItCannot) {
  const TemporaryDirectory directory;
  const auto missing = directory.path() / "missing";
  EXPECT_THAT(
      [&] { open_file(missing, FileKind::kMachine); },
      ThrowsMessage<IoError>(missing.string() + ": cannot read: No such file or directory"));
  EXPECT_THAT([&] { open_file(directory.path(), FileKind::kRecording); },
              ThrowsMessage<IoError>(HasSubstr(": cannot read: Is a directory")));
}

}  // namespace
}  // namespace tcsim::files
