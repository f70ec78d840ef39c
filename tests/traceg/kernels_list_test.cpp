#include <gmock/gmock.h>
#include <filesystem>
#include <fstream>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/traceg/steps.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/traceg/trace_writer.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::traceg {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KernelsList : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return path(name);
  }

  const test::TemporaryDirectory folder_;
};

isa::KernelLaunch named(const std::string& name) {
  test::ProgramBuilder program;
  program.op(isa::Opcode::kExit);
  isa::KernelLaunch launch = test::make_launch({program.program()}, {0}, 1);
  launch.name = name;
  return launch;
}

TEST_F(KernelsList, RunsItsKernelsInOrderWhateverTheirPacking) {
  save_recording(named("one"), {}, path("kernel-1.traceg"));
  save_recording(named("two"), {}, path("kernel-2.traceg.xz"));
  save_recording(named("three"), {}, path("kernel-3.traceg.zst"));
  const RecordedStream stream =
      load_recording(write("kernelslist.g",
                           "MemcpyHtoD,0x7f0000000000,1024\nkernel-2.traceg.xz\n\n"
                           "kernel-1.traceg\nMemcpyDtoH,0,4\nkernel-3.traceg.zst\n"));
  std::vector<std::string> names;
  for (const isa::KernelLaunch& launch : stream.launches) names.push_back(launch.name);
  EXPECT_THAT(names, ElementsAre("two", "one", "three"));
  EXPECT_THAT(stream.notes, ElementsAre(HasSubstr("2 copies between host and GPU")));
}

/// Files that TemporaryFile keeps open.
int spools() {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const fs::path target = fs::read_symlink(entry.path(), gone);
    if (target.filename().string().starts_with("tcsim-")) ++count;
  }
  return count;
}

// A list may name more kernels than a process may open files.
TEST_F(KernelsList, KeepsOneFileForAllItsKernels) {
  constexpr int kKernels = 3;
  std::vector<isa::KernelLaunch> kernels;
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    test::ProgramBuilder program;
    for (int i = 0; i < kernel; ++i) program.op(isa::Opcode::kFfma).dst(4).src(8, 9, 10);
    program.op(isa::Opcode::kExit);
    kernels.push_back(test::make_launch({program.program()}, {0}, 1));
  }
  save_stream(kernels, 80, path("stream"));
  const RecordedStream stream = load_recording(path("stream/kernelslist.g"));
  EXPECT_EQ(spools(), 1);
  ASSERT_EQ(stream.launches.size(), kernels.size());
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel)
    EXPECT_EQ(testing::recorded_steps(stream.launches[kernel], {0, 0, 0}, 0),
              testing::walked_steps(kernels[kernel], {0, 0, 0}, 0));
}

TEST_F(KernelsList, NotesThatSeveralCudaStreamsAreOne) {
  const std::string kernel =
      "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
      "-binary version = 80\n-accelsim tracer version = 5\n-cuda stream id = 0\n#\n#BEGIN_TB\n"
      "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0\n#END_TB\n";
  std::string other = kernel;
  write("1.traceg", kernel);
  write("2.traceg", other.replace(other.find("id = 0"), 6, "id = 94218"));
  const auto notes = [this](const std::string& list) {
    return load_recording(write("kernelslist.g", list)).notes;
  };
  EXPECT_THAT(notes("1.traceg\n1.traceg\n"), ElementsAre());
  EXPECT_THAT(notes("1.traceg\n2.traceg\n1.traceg\n"),
              ElementsAre(path("kernelslist.g") +
                          ": kernels of 2 CUDA streams are simulated one after the other"));
}

TEST_F(KernelsList, KnowsItsKernelsByTheirLines) {
  save_recording(named("one"), {}, path("1.traceg"));
  save_recording(named("one"), {}, path("packed.traceg.xz"));
  save_recording(named("two"), {}, path("2.traceg"));
  const auto content = [this](const std::string& list) {
    return load_recording(write("kernelslist.g", list)).content;
  };
  const std::string both = content("1.traceg\n2.traceg\n");
  EXPECT_EQ(content("packed.traceg.xz\n2.traceg\n"), both);
  EXPECT_NE(content("2.traceg\n1.traceg\n"), both);
  EXPECT_NE(content("1.traceg\n1.traceg\n"), both);
  EXPECT_NE(content("1.traceg\n"), both);
}

TEST_F(KernelsList, ReadsBackTheStreamThatWasSaved) {
  save_stream({named("first"), named("second")}, 80, path("stream"));
  const RecordedStream stream = load_recording(path("stream/kernelslist.g"));
  ASSERT_EQ(stream.launches.size(), 2U);
  EXPECT_EQ(stream.launches[1].name, "second");
}

TEST_F(KernelsList, NamesTheKernelThatIsNotCovered) {
  write("kernel-1.traceg",
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
        "-binary version = 61\n-accelsim tracer version = 5\n#\n");
  EXPECT_EQ(load_recording(write("kernelslist.g", "kernel-1.traceg\n")).not_covered,
            path("kernel-1.traceg") +
                ": code for sm_61 is not covered; sm_70, 75, 80, 86 and 90 "
                "are");
}

TEST_F(KernelsList, RefusesWhatItDoesNotKnow) {
  const auto message = [this](const std::string& text) -> std::string {
    try {
      load_recording(write("kernelslist.g", text));
      return "accepted";
    } catch (const std::exception& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message("kernel-1.trace\n"), HasSubstr("kernelslist.g:1:1: kernel: expected"));
  EXPECT_THAT(message("  kernel-1.trace\n"), HasSubstr("kernelslist.g:1:3: kernel: expected"));
  EXPECT_THAT(message("\nMemcpyHtoD,0xzz,4\n"),
              HasSubstr("kernelslist.g:2:12: MemcpyHtoD: expected hexadecimal digits"));
  EXPECT_THAT(message("MemcpyHtoD,0x10\n"), HasSubstr("1:16: MemcpyHtoD: expected an address"));
  // Found by tests/fuzz: blanks before a copy.
  EXPECT_THAT(message("   MemcpyHtoD,0x10,zz\n"), HasSubstr("1:20: MemcpyHtoD: expected a whole"));
  EXPECT_THAT(message("   MemcpyHtoD,0x10,8\n"), HasSubstr("the list names no kernel"));
  EXPECT_THAT(message("kernel-9.traceg\n"), HasSubstr("kernel-9.traceg: cannot read"));
  EXPECT_THAT(message("# nothing\n"), HasSubstr("kernelslist.g:1:1"));
  EXPECT_THAT(message(""), HasSubstr("names no kernel"));
}

}  // namespace
}  // namespace tcsim::traceg
