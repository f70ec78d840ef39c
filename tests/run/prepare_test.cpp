#include "sim/run/prepare/prepare.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "sim/errors/errors.hpp"
#include "sim/library/load.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::run {
namespace {

TEST(Prepare, RefusesALaunchWithMoreCtasThanAGridHas) {
  const config::MachineFile machine = library::read_machine("lab-tiny", {});
  const auto prepared = [&](const workload::Workload& workload) {
    return prepare_run(workload, {"lab-tiny", "", ""}, machine);
  };
  workload::Workload workload = workload::parse_workload("gemm:64").front();
  const isa::KernelLaunch launch = prepared(workload).launches.front();
  for (const auto& [axis, most, name] :
       {std::tuple{0U, "2147483647", "x"}, {1U, "65535", "y"}, {2U, "65535", "z"}}) {
    isa::KernelLaunch large = launch;
    large.grid[axis] = std::int64_t{1} << 31;
    workload.work = large;
    EXPECT_EQ(test::refusal<NotCovered>([&] { return prepared(workload); }),
              "lab-tiny: kernel " + launch.name + " has 2147483648 CTAs in " + name +
                  ", a grid has at most " + most);
  }
}

}  // namespace
}  // namespace tcsim::run
