#include "scripts/gpu/common/program.hpp"

#include <gtest/gtest.h>

#include "scripts/gpu/common/shared_library.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::measure {
namespace {

std::string refusal(const Parts& parts) {
  return test::refusal<ProgramError>([&] { parts.require_all(); });
}

TEST(GpuProgram, APartThatStopsLeavesTheOthers) {
  Parts parts("bits");
  int measured = 0;
  parts.run("mma", [&] { ++measured; });
  parts.run("wgmma", [] { throw ProgramError(kStopped, "unspecified launch failure"); });
  parts.run("cuBLAS", [] { throw ProgramError(kNotCovered, "libcublas is not installed"); });
  parts.run("fp64", [&] { ++measured; });
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(refusal(parts), "not measured: wgmma cuBLAS");
}

TEST(GpuProgram, NothingIsMissingWhereEveryPartRan) {
  Parts parts("bits");
  parts.run("mma", [] {});
  EXPECT_EQ(refusal(parts), "accepted");
}

TEST(GpuProgram, AMistakeEndsAllParts) {
  Parts parts("bits");
  EXPECT_THROW(parts.run("mma", [] { throw ProgramError(kMistake, "unknown option"); }),
               ProgramError);
}

TEST(GpuProgram, LibrariesOfOlderToolkitsAreAlsoLookedFor) {
  EXPECT_EQ(library_names("cublas", 13000),
            (std::vector<std::string>{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                      "libcublas.so"}));
}

}  // namespace
}  // namespace tcsim::measure
