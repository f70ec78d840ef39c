#include "sim/sweep/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "sim/library/load.hpp"
#include "sim/report/checksum.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/sweep/running.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FolderTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path path() const { return home_.path() / "sweep"; }
  [[nodiscard]] fs::path result_file(const Folder& folder) const {
    return path() / "points" / (folder.plan().points[0].key + ".json");
  }

  test::TemporaryHome home_;
};

TEST_F(FolderTest, GivesBackWhatWasStored) {
  const Folder folder = Folder::prepare(path(), plan_of(small_spec_text()));
  folder.store_result(folder.plan().points[0], result_of(3));
  const Folder again = Folder::open(path());
  EXPECT_EQ(to_json(again.plan()).dump(), to_json(folder.plan()).dump());
  EXPECT_EQ(again.record(again.plan().points[0]).result, result_of(3));
  EXPECT_EQ(again.record(again.plan().points[1]).state, PointState::kOpen);
}

TEST_F(FolderTest, HoldsMachinesAndLibrariesThatNeedNoOtherFile) {
  const fs::path sources = home_.path() / "of";
  fs::create_directories(sources / "d");
  std::ofstream(sources / "below.yaml") << "base: cuda-cores\nname: below\n";
  std::ofstream(sources / "lib.yaml") << "base: below.yaml\nname: mine\n";
  std::ofstream(sources / "m1.yaml") << "base: lab-tiny\nname: m1\nlibraries: [lib.yaml]\n"
                                        "clocks: {sm_mhz: 700}\n";
  std::ofstream(sources / "d/m2.yaml") << "base: ../m1.yaml\nname: m2\n";
  const std::string lib = (sources / "lib.yaml").string();
  const Plan plan =
      plan_of("name: own\nmachines:\n  - {name: m, base: " + (sources / "d/m2.yaml").string() +
              "}\n  - {name: n, base: lab-tiny, set: {libraries: \"[" + lib +
              ", cuda-cores]\"}}\nworkloads: [\"gemm:32,dtype=fp32\"]\n");
  const Folder folder = Folder::prepare(path(), plan);
  fs::remove_all(sources);
  ASSERT_EQ(plan.points.size(), 2U);
  const auto hash_of = [](const config::MachineFile& machine) {
    return report::hash_text(config::canonical_text(machine));
  };
  const Point& point = plan.points.front();
  const config::MachineFile copy = library::read_machine(path() / point.command.at(3));
  EXPECT_EQ(hash_of(copy), point.machine);
  EXPECT_EQ(copy.machine.clocks.sm_mhz, 700);
  const auto change = std::ranges::find(plan.points.back().command, "--set") + 1;
  EXPECT_THAT(*change,
              testing::MatchesRegex(R"(libraries=\["inputs/lib-.*\.yaml","cuda-cores"\])"));
  fs::current_path(path());  // of the commands
  EXPECT_EQ(hash_of(library::read_machine(plan.points.back().command.at(3), {*change})),
            plan.points.back().machine);
}

TEST_F(FolderTest, ADamagedResultIsOpenAgainAndSaysSo) {
  const Folder folder = Folder::prepare(path(), plan_of(small_spec_text()));
  const Point& point = folder.plan().points[0];
  folder.store_result(point, result_of(3));
  const auto size = fs::file_size(result_file(folder));
  fs::resize_file(result_file(folder), size / 2);
  EXPECT_EQ(folder.record(point).state, PointState::kOpen);
  EXPECT_TRUE(folder.record(point).corrupt);
}

TEST_F(FolderTest, AChangedDigitInAResultIsDamageToo) {
  const Folder folder = Folder::prepare(path(), plan_of(small_spec_text()));
  folder.store_result(folder.plan().points[0], result_of(3.25));
  std::fstream file(result_file(folder));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  text.replace(text.find("3.25"), 4, "3.35");
  std::ofstream(result_file(folder)) << text;
  EXPECT_TRUE(folder.record(folder.plan().points[0]).corrupt);
}

TEST_F(FolderTest, AResultOfAnotherFormIsDamageWhateverItsChecksum) {
  const Folder folder = Folder::prepare(path(), plan_of(small_spec_text()));
  const Point& point = folder.plan().points[0];
  const auto store = [&](const nlohmann::ordered_json& body) {
    std::ofstream(result_file(folder))
        << nlohmann::ordered_json{{"checksum", report::hash_text(body.dump())}, {"body", body}};
  };
  for (const auto& result : {nlohmann::ordered_json(3),
                             {{"kernels", 3}},
                             {{"kernels", {{{"tile", 3}}}}},
                             {{"simulation", {{"wall_s", "x"}}}}}) {
    store({{"key", point.key}, {"inputs", point.inputs}, {"result", result}});
    EXPECT_TRUE(folder.record(point).corrupt) << result;
  }
  store({{"key", 3}, {"inputs", 3}});
  EXPECT_TRUE(folder.record(point).corrupt);
  EXPECT_EQ(folder.count_stale(), 0);
}

TEST_F(FolderTest, APlanThatIsNotWhatWasWrittenIsRefusedWithItsPlace) {
  const Folder folder = Folder::prepare(path(), plan_of(small_spec_text()));
  const nlohmann::ordered_json good = to_json(folder.plan());
  const auto refusal = [&](const nlohmann::ordered_json& plan) {
    folder.write("plan.json", plan.dump());
    return test::refusal<FolderRefused>([&] { return Folder::open(path()); });
  };
  const auto changed = [&](const std::string& pointer, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json plan = good;
    plan[nlohmann::ordered_json::json_pointer(pointer)] = value;
    return plan;
  };
  EXPECT_EQ(refusal(good), "accepted");
  EXPECT_THAT(refusal(changed("/name", "other")), HasSubstr("was changed since it was written"));
  const auto sealed = [&](const std::string& pointer, const nlohmann::ordered_json& value) {
    return refusal(report::sealed(changed(pointer, value)));
  };
  EXPECT_THAT(sealed("/points/0/parameters", nlohmann::ordered_json::object()),
              HasSubstr("plan.json: points[0].parameters: are not those of the plan"));
  EXPECT_THAT(sealed("/points/0/key", "../x"), HasSubstr("points[0].key: expected"));
  EXPECT_THAT(sealed("/points", nlohmann::ordered_json::array()), HasSubstr("has no point"));
  EXPECT_THAT(sealed("/limits/time_s", -1), HasSubstr("limits.time_s: expected a number from 0"));
  EXPECT_THAT(sealed("/points/1/count", 0), HasSubstr("points[1].count: expected"));
}

TEST_F(FolderTest, AnotherSweepIsRefused) {
  Folder::prepare(path(), plan_of(small_spec_text()));
  Plan other = plan_of(small_spec_text());
  other.name = "other";
  EXPECT_THROW(Folder::prepare(path(), other), FolderRefused);
}

TEST_F(FolderTest, AFolderWithOtherThingsIsRefused) {
  fs::create_directories(path());
  std::ofstream(path() / "thesis.tex") << "x";
  EXPECT_THROW(Folder::prepare(path(), plan_of(small_spec_text())), FolderRefused);
}

TEST_F(FolderTest, ResultsOfAnotherRevisionAreStaleAndNotUsed) {
  Plan plan = plan_of(small_spec_text());
  const Folder old = Folder::prepare(path(), plan);
  old.store_result(plan.points[0], result_of(3));
  plan.revision = "next";
  for (Point& point : plan.points) point.key += "-next";
  const Folder folder = Folder::prepare(path(), plan);
  EXPECT_EQ(folder.record(plan.points[0]).state, PointState::kOpen);
  EXPECT_EQ(folder.count_stale(), 1);
}

TEST_F(FolderTest, AloneMeansAlone) {
  const FolderLock first(path(), FolderLock::Kind::kAlone);
  EXPECT_THROW(FolderLock(path(), FolderLock::Kind::kAlone), FolderRefused);
  EXPECT_THROW(FolderLock(path(), FolderLock::Kind::kWithOtherWorkers), FolderRefused);
}

TEST_F(FolderTest, WorkersShareAFolder) {
  const FolderLock first(path(), FolderLock::Kind::kWithOtherWorkers);
  const FolderLock second(path(), FolderLock::Kind::kWithOtherWorkers);
  EXPECT_THROW(FolderLock(path(), FolderLock::Kind::kAlone), FolderRefused);
}

TEST_F(FolderTest, AMarkedPointRunsAsLongAsItsProcessLives) {
  const Folder folder = Folder::prepare(path(), plan_of(small_spec_text()));
  const Point& point = folder.plan().points[1];
  EXPECT_TRUE(running_points(folder).empty());
  {
    const RunningMark mark(folder, point);
    const auto running = running_points(folder);
    ASSERT_EQ(running.size(), 1U);
    EXPECT_EQ(running[0].point->number, 2);
    EXPECT_EQ(running[0].process, ::getpid());
    EXPECT_LT(running[0].seconds, 60);
    EXPECT_TRUE(mark.is_ours());
    EXPECT_FALSE(RunningMark(folder, point).is_ours());
    EXPECT_EQ(running_points(folder).size(), 1U);
  }
  EXPECT_TRUE(running_points(folder).empty());
  std::ofstream(path() / "running" / point.key) << "1 2 host\n";  // its process was killed
  EXPECT_TRUE(running_points(folder).empty());
  EXPECT_TRUE(RunningMark(folder, point).is_ours());
}

}  // namespace
}  // namespace tcsim::sweep
