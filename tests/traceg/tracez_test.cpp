// The packed form of Accel-Sim 2.0, put together here from the text form.

#include <gmock/gmock.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/errors/errors.hpp"
#include "tests/support/random_program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/traceg/round_trip.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::traceg {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kDictionary = " ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0";

template <typename Number>
void add(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string packed(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  const std::size_t size =
      ZSTD_compress_usingDict(context, bytes.data(), bytes.size(), text.data(), text.size(),
                              kDictionary.data(), kDictionary.size(), 3);
  ZSTD_freeCCtx(context);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  return bytes.substr(0, size);
}

struct Index {
  std::string bytes;
  std::uint32_t ctas = 0;
  std::string warps;
  std::uint32_t warp_count = 0;
};

/// `text` with at most three instructions in a chunk.
std::string tracez_of(const std::string& text) {
  std::istringstream lines(text);
  std::string header;
  std::string line;
  while (std::getline(lines, line) && !line.starts_with('#')) header += line + "\n";
  std::string file = header + '\0';
  add(file, static_cast<std::uint32_t>(kDictionary.size()));
  add(file, std::uint32_t{3});
  file += kDictionary;
  Index index;
  std::array<std::uint32_t, 10> cta{};
  while (std::getline(lines, line)) {
    if (line.starts_with("thread block = ")) {
      std::istringstream numbers(line.substr(15));
      char comma = 0;
      numbers >> cta[0] >> comma >> cta[1] >> comma >> cta[2];
      ++index.ctas;
      index.warps.clear();
      index.warp_count = 0;
    } else if (line == "#END_TB") {
      for (const std::uint32_t number : cta) add(index.bytes, number);
      add(index.bytes, index.warp_count);
      index.bytes += index.warps;
    } else if (line.starts_with("insts = ")) {
      const auto count = static_cast<std::uint32_t>(std::stoul(line.substr(8)));
      const std::uint32_t chunks = (count + 2) / 3;
      ++index.warp_count;
      add(index.warps, count);
      add(index.warps, chunks);
      add(index.warps, std::uint64_t{file.size()});
      add(file, count);
      add(file, chunks);
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        std::string chunk_text;
        const std::uint32_t in_chunk = std::min<std::uint32_t>(3, count - 3 * chunk);
        for (std::uint32_t i = 0; i < in_chunk; ++i) {
          std::getline(lines, line);
          chunk_text += (i == 0 ? "" : "\n") + line;
        }
        const std::string bytes = packed(chunk_text);
        add(file, static_cast<std::uint32_t>(bytes.size()));
        file += bytes;
        add(index.warps, in_chunk);
      }
    }
  }
  const std::uint64_t start = file.size();
  add(file, index.ctas);
  file += index.bytes;
  add(file, start);
  return file;
}

class Tracez : public ::testing::Test {
 protected:
  RecordedStream load(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return load_recording(path_);
  }
  std::string mistake(const std::string& bytes) {
    try {
      load(bytes);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  test::TemporaryDirectory folder_;
  std::string path_ = (folder_.path() / "k.tracez").string();
};

TEST_F(Tracez, HoldsWhatTheTextHolds) {
  const isa::KernelLaunch launch = test::random_launch(7);
  testing::expect_equal_steps(launch, load(tracez_of(testing::text_of(launch))).launches.at(0));
}

TEST_F(Tracez, ThatIsCutShortOrDamagedIsRefused) {
  const std::string whole = tracez_of(testing::text_of(test::random_launch(7)));
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50)
    EXPECT_THAT(mistake(whole.substr(0, size)), HasSubstr("k.tracez:")) << size;
  for (std::size_t at = whole.find('\0'); at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try {
      load(damaged);  // some bytes are of nothing that is read
    } catch (const InputError&) {
    }
  }
}

TEST_F(Tracez, NamesTheWarpWhoseBytesAreDamaged) {
  std::string text =
      "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n"
      "-binary version = 80\n-accelsim tracer version = 5\n#\n";
  const auto warp = [](const std::string& number) {
    return "warp = " + number + "\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n";
  };
  for (const char* const cta : {"0,0,0", "1,0,0"})
    text += "#BEGIN_TB\nthread block = " + std::string(cta) + "\n" + warp("0") + warp("1") +
            "#END_TB\n";
  std::string bytes = tracez_of(text);
  EXPECT_EQ(mistake(bytes), "");
  constexpr std::string_view kStartOfChunk = "\x28\xb5\x2f\xfd";  // Zstandard's number
  bytes[bytes.rfind(kStartOfChunk)] = '\0';
  EXPECT_THAT(mistake(bytes), ::testing::AllOf(HasSubstr("k.tracez:1:1: chunk: "),
                                               HasSubstr("(warp 1 of thread block 1,0,0)")));
}

TEST_F(Tracez, AHeaderThatDoesNotEndIsReadToItsBound) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const std::string behind_the_bound = std::string(kMost + 1, 'x') + '\0';
  EXPECT_THAT(mistake(behind_the_bound), HasSubstr("header: no zero byte ends it within 1 MiB"));
}

TEST_F(Tracez, AFolderIsRefusedAsTheSystemSays) {
  std::filesystem::create_directory(path_);
  EXPECT_THAT([&] { load_recording(path_); },
              ::testing::ThrowsMessage<IoError>(path_ + ": cannot read: Is a directory"));
}

}  // namespace
}  // namespace tcsim::traceg
