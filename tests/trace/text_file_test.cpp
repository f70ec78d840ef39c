#include "workloads/trace/text_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "sim/errors/errors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/trace/random_launch.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::trace {
namespace {

/// A path in a folder of this test that is gone afterwards.
class TextFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

 private:
  const test::TemporaryDirectory folder_;
};

TEST_F(TextFile, KeepsALaunchThroughPlainAndPackedFiles) {
  const isa::KernelLaunch launch = random_launch(7, 200);
  for (const char* name : {"k.tct", "k.tct.zst"}) {
    save_tct(launch, path(name));
    EXPECT_EQ(load_tct(path(name)), canonical(launch)) << name;
  }
  EXPECT_LT(std::filesystem::file_size(path("k.tct.zst")),
            std::filesystem::file_size(path("k.tct")) / 2);
}

TEST_F(TextFile, KnowsAPackedFileByItsContentNotItsName) {
  save_tct(random_launch(7, 20), path("k.tct.zst"));
  std::filesystem::rename(path("k.tct.zst"), path("k.txt"));
  EXPECT_EQ(load_tct(path("k.txt")), canonical(random_launch(7, 20)));
}

TEST_F(TextFile, SaysHowARecordedTraceIsNamed) {
  for (const char* text : {"-kernel name = k\n-grid dim = (1,1,1)\n", "kernel-1.trace\n",
                           "MemcpyHtoD,0x7f0000000000,1024\nkernel-1.trace\n"}) {
    write_text_file(path("kernel-1.trace"), text);
    EXPECT_EQ(test::refusal<InputError>([&] { (void)load_tct(path("kernel-1.trace")); }),
              path("kernel-1.trace") +
                  ":1:1: file: a recorded trace: its name must end in .traceg, after the "
                  "tracer's post-processing, or in .g if it is a list");
  }
}

TEST_F(TextFile, KnowsARecordedTraceThatIsLargerThanAKernelMayBe) {
  write_text_file(path("k.trace"), "-kernel name = k\n");
  std::filesystem::resize_file(path("k.trace"), std::uintmax_t{1} << 30);
  EXPECT_THROW((void)load_tct(path("k.trace")), InputError);
  write_text_file(path("k.tct"), "tct 1\n");
  std::filesystem::resize_file(path("k.tct"), std::uintmax_t{1} << 30);
  EXPECT_THROW((void)load_tct(path("k.tct")), IoError);
}

TEST_F(TextFile, ReportsAPlaceThatCannotBeWritten) {
  EXPECT_THROW(write_text_file(path("no/such/folder.tct"), "x"), IoError);
}

TEST_F(TextFile, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(write_text_file("/dev/full", std::string(1'000'000, 'x')), IoError);
}

}  // namespace
}  // namespace tcsim::trace
