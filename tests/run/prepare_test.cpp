#include "sim/run/prepare/prepare.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "sim/errors/errors.hpp"
#include "sim/library/load.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/trace/tct.hpp"

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

TEST(Prepare, RefusesMoreClustersAtOnceThanHaveNumbers) {
  const config::MachineFile machine = library::read_machine(
      "h100", {"gpu.sms=1024", "gpu.sms_per_gpc=[128,128,128,128,128,128,128,128]"});
  workload::Workload workload = workload::parse_workload("gemm:64").front();
  workload.work = trace::read_tct(
      "tct 1\nkernel k\ngrid 16384 1 1\nwarps 1\nregisters 32\nshared 1024\n"
      "program p warps 0\n"
      "  SYNCS.EXCH.64 mbar[0], 1\n"
      "  SYNCS.ARRIVE.TRANS64.RED.A1T0 mbar[0], rank[0]\n"
      "  EXIT\n",
      "k.tct");
  EXPECT_EQ(test::refusal<NotCovered>([&] {
              (void)prepare_run(workload, {"h100", "", ""}, machine);
            }),
            "h100: more than 16383 clusters of kernel k would run at once");
}

}  // namespace
}  // namespace tcsim::run
