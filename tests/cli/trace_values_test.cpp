#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/tensor_file/npy.hpp"
#include "sim/values/program_values.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// Values of kernels that the user has as files.
class TraceValues : public ::testing::Test {
 protected:
  static void emit(const std::string& workload, const std::string& machine, const std::string& file,
                   const std::string& form = "tct") {
    const ChildResult result =
        tcsim({"trace", "emit", workload, "-m", machine, "--form", form, "-o", file});
    ASSERT_EQ(result.status, 0) << result.errors;
  }

  static ChildResult values_of(const std::string& file, const std::string& machine,
                               const Words& more = {}) {
    Words words{"run", "trace:" + file, "-m", machine, "--values", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return tcsim(words);
  }

  static std::string checksum_text(const std::vector<std::uint8_t>& bytes) {
    std::ostringstream text;
    text << std::hex << std::setw(16) << std::setfill('0') << values::checksum_of(bytes);
    return text.str();
  }

  TemporaryHome home_;
};

TEST_F(TraceValues, AreTheBitsOfTheGeneratedKernel) {
  for (const char* machine : {"lab-tiny", "h100"}) {
    const std::string gemm = "gemm:m=64,n=64,k=64,layout=nn";  // A and B lie as they are drawn
    const std::string file = std::string(machine) + ".tct";
    emit(gemm, machine, file);
    const ChildResult generated =
        tcsim({"run", gemm, "-m", machine, "--values", "-q", "--seed", "3", "-o", machine});
    ASSERT_EQ(generated.status, 0) << generated.errors;
    const std::vector<std::uint8_t> d =
        tensor_file::read_npy(std::string(machine) + "/d.npy").bytes;
    const ChildResult read = values_of(file, machine, {"--seed", "3", "-f", "json", "--no-files"});
    ASSERT_EQ(read.status, 0) << read.errors;
    const Json values = Json::parse(read.output)["values"];
    EXPECT_EQ(values["buffers"]["D"]["checksum"], checksum_text(d)) << machine;
    EXPECT_EQ(values["buffers"]["A"]["starts_as"], "fp16");
    EXPECT_TRUE(values["buffers"]["A"]["checksum"].is_null());
    EXPECT_TRUE(values["reference"].is_null());
    EXPECT_EQ(values["racing_bytes"], 0);
  }
}

TEST_F(TraceValues, SayThatThereIsNothingToCompareWith) {
  emit("gemm:64", "lab-tiny", "k.tct");
  const ChildResult result = values_of("k.tct", "lab-tiny", {"-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("inputs uniform, seed 1; arithmetic of ampere; no "
                                             "race in shared memory\n"),
                                   HasSubstr("none: what a kernel from a file should compute"),
                                   HasSubstr("drawn as fp16\n"),
                                   HasSubstr("begins as ff; afterwards 8,192 bytes, checksum ")));
}

TEST_F(TraceValues, ARaceIsAMistakeOfTheKernel) {
  emit("gemm:m=128,n=64,k=128", "h100", "k.tct");
  std::string text = text_of("k.tct");
  const std::string fence = "FENCE.VIEW.ASYNC";
  text.replace(text.find(fence), fence.size(), "NOP");
  std::ofstream("k.tct") << text;
  const ChildResult result = values_of("k.tct", "h100", {"--no-files"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("trace:k.tct: kernel gemm_"), HasSubstr(" at 0x"),
                    HasSubstr("with no FENCE.VIEW.ASYNC in between"), HasSubstr("trace:k.tct: "),
                    HasSubstr(" bytes and registers race in all\n")));
}

TEST_F(TraceValues, AMisusedMbarrierIsAMistakeOfTheKernel) {
  std::ofstream("k.tct") << "tct 1\nkernel k\ngrid 1 1 1\nwarps 1\nregisters 32\nshared 64\n"
                            "buffer A input base=0x10000 bytes=4096\nprogram main warps 0\n"
                            "SYNCS.EXCH.64 mbar[0], 1\nSYNCS.ARRIVE.TRANS64.A1T0 mbar[8]\nEXIT\n";
  const ChildResult result = values_of("k.tct", "h100", {"--no-files"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            "trace:k.tct: kernel k: CTA 0 warp 0 at 0x0010 (SYNCS.ARRIVE.TRANS64.A1T0): the "
            "mbarrier at shared offset 8 was never initialised\n");
}

TEST_F(TraceValues, NeedProgramsWhoseInstructionsHaveValues) {
  emit("gemm:64", "lab-tiny", "k.traceg", "traceg");
  const ChildResult recorded = values_of("k.traceg", "lab-tiny", {"--no-files"});
  EXPECT_EQ(recorded.status, 3);
  EXPECT_THAT(recorded.errors, AllOf(StartsWith("trace:k.traceg: values need programs; kernel "),
                                     HasSubstr(" is recorded, and a recording has none\n")));
  std::ofstream("k.tct") << "tct 1\nkernel k\ngrid 1 1 1\nwarps 1\nregisters 32\nshared 0\n"
                            "buffer A input base=0x10000 bytes=4096\nprogram main warps 0\n"
                            "POPC R2, R3\nEXIT\n";
  const ChildResult unknown = values_of("k.tct", "lab-tiny", {"--no-files"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_EQ(unknown.errors,
            "trace:k.tct: kernel k: CTA 0 warp 0 at 0x0000 (POPC): the values of this instruction "
            "are not modelled\n");
  const ChildResult operand = values_of("k.tct", "lab-tiny", {"--no-files", "--a", "a.npy"});
  EXPECT_EQ(operand.status, 3);
  EXPECT_THAT(operand.errors, HasSubstr("the inputs of other operations are drawn"));
}

}  // namespace
}  // namespace tcsim::cli
