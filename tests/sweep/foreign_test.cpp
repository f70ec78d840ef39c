#include "sim/sweep/foreign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sim/sweep/input_name.hpp"
#include "sim/text/name.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

/// A command as plans have it, with `further` words behind the machine.
Words command_of(const std::string& work, const std::string& machine, const Words& further = {}) {
  Words words{"run", work, "-m", machine};
  words.insert(words.end(), further.begin(), further.end());
  words.insert(words.end(), {"-j", "1"});
  for (const char* word : {"-f", "json", "-q", "--no-files"}) words.emplace_back(word);
  return words;
}

TEST(ForeignPlan, EveryCommandThatAPlanGetsIsOne) {
  const std::string text =
      small_spec_text() +
      "options: {tile: 64x64x32, data: constant, warm-l2: true}\nset: {clocks.sm_mhz: 1000}\n";
  for (const Point& point : plan_of(text).points)
    EXPECT_TRUE(is_command_of_a_point(point.command)) << testing::PrintToString(point.command);
  for (const Point& point :
       plan_of(small_spec_text() + "options: {values: true, seed: 2}\n").points)
    EXPECT_TRUE(is_command_of_a_point(point.command)) << testing::PrintToString(point.command);
  for (const char* work : {"trace:inputs/k-1.tct", "net:inputs/n-1.yaml", "net:resnet50"})
    EXPECT_TRUE(is_command_of_a_point(command_of(work, "inputs/m.yaml"))) << work;
}

TEST(ForeignPlan, NoOtherCommandIsOne) {
  const std::string work = "gemm:64";
  const std::string machine = "inputs/m.yaml";
  ASSERT_TRUE(is_command_of_a_point(command_of(work, machine)));
  for (const Words& further :
       {Words{"-o", "/home/me/.config"}, Words{"--out", "x"}, Words{"--force"}, Words{"--set"},
        Words{"--set", "-o"}, Words{"--set", "x"}, Words{"--tile", "-o"}, Words{"--a", "x.npy"},
        Words{"--timeline", "x"}, Words{"../x"}, Words{"--tile=x"}})
    EXPECT_FALSE(is_command_of_a_point(command_of(work, machine, further)))
        << testing::PrintToString(further);
  for (const char* other : {"../m.yaml", "/etc/passwd", "inputs/../../m.yaml", "inputs/-m", "a100"})
    EXPECT_FALSE(is_command_of_a_point(command_of(work, other))) << other;
  for (const char* other : {"trace:/etc/passwd", "trace:../k.tct", "csv:list.csv", "net:none", "-o",
                            "net:../../n.yaml", "net:n.yaml", "trace:inputs/../k"})
    EXPECT_FALSE(is_command_of_a_point(command_of(other, machine))) << other;
  EXPECT_FALSE(is_command_of_a_point({}));
  EXPECT_FALSE(is_command_of_a_point({"run"}));
  Words words = command_of(work, machine);
  words.front() = "sweep";
  EXPECT_FALSE(is_command_of_a_point(words));
  words = command_of(work, machine);
  words.back() = "--files";
  EXPECT_FALSE(is_command_of_a_point(words));
}

TEST(ForeignPlan, HasNoNameThatLeavesTheFolder) {
  const auto mistake_of = [](auto change) -> std::string {
    Plan plan = plan_of(small_spec_text());
    plan.program = "bin/tcsim-0";
    change(plan);
    return test::refusal<std::runtime_error>([&] { check_file_names(plan); });
  };
  EXPECT_EQ(mistake_of([](Plan&) {}), "accepted");
  EXPECT_THAT(mistake_of([](Plan& plan) { plan.points[1].key = "../../evil"; }),
              HasSubstr("key: '../../evil' names a file"));
  EXPECT_THAT(mistake_of([](Plan& plan) { plan.plots.emplace_back().name = "/tmp/evil"; }),
              HasSubstr("plots: '/tmp/evil' names a file"));
  EXPECT_THAT(mistake_of([](Plan& plan) { plan.name = "a b; rm -rf x"; }), HasSubstr("name: "));
  EXPECT_EQ(mistake_of([](Plan& plan) { plan.program = "/bin/sh"; }),
            "plan.json: program: not in bin/");
  EXPECT_THAT(mistake_of([](Plan& plan) { plan.program = "bin/../../sh"; }),
              HasSubstr("program: "));
}

TEST(InputName, StaysInItsFolderAndHoldsTheHash) {
  for (const char* file : {"/tmp/m.yaml", "a b;c.yaml", "../x", "-o.tct.zst", "\x1b[2J.yaml"}) {
    const std::string name = input_name(file, "text");
    EXPECT_EQ(text::name_mistake(name.substr(kInputFolder.size())), "") << name;
    EXPECT_TRUE(is_named_by(name, "text")) << name;
    EXPECT_FALSE(is_named_by(name, "other")) << name;
  }
}

}  // namespace
}  // namespace tcsim::sweep
