#include "sim/results/stored_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/report/checksum.hpp"
#include "sim/results/sections.hpp"
#include "sim/results/text_views.hpp"
#include "tests/results/stored_runs.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::results {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class StoredRunFiles : public ::testing::Test {
 protected:
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }

  void write(const std::string& file, const std::string& text) const {
    files::write_atomically(path() / file, text);
  }
  /// Writes `run` as a run does, the manifest last.
  void store(const StoredRun& run) const {
    write("stats.json", run.stats.json().dump(2));
    write("manifest.json", report::sealed_manifest(path(), run.manifest.json()).dump(2));
  }
  /// Writes the stats of the fake run with one member replaced and the checksums that fit.
  void store_with(const std::string& pointer, const Json& value) const {
    store(with_stat(fake_run(), pointer, value));
  }
  [[nodiscard]] std::string refusal() const { return refusal_of(path()); }
  static std::string refusal_of(const std::filesystem::path& directory) {
    try {
      (void)load_run(directory);
    } catch (const IoError& error) {
      return std::string("status 5: ") + error.what();
    } catch (const config::ConfigError& error) {
      return std::string("status 2: ") + error.what();
    }
    return "accepted";
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(StoredRunFiles, AreReadBackAsTheRunWroteThem) {
  store(fake_run());
  const StoredRun read = load_run(path());
  EXPECT_EQ(read.number("tflops"), 2.5);
  EXPECT_EQ(read.number("clock_mhz"), 1000);
  EXPECT_EQ(read.number("energy_j"), std::nullopt);
  EXPECT_EQ(read.scope("sub_core").at("instances").get<int>(), 4);
  EXPECT_TRUE(read.verified);
  EXPECT_FALSE(is_list(path()));
}

TEST_F(StoredRunFiles, HaveTheNameOfTheirDirectoryWithAndWithoutASlashBehindIt) {
  store(fake_run());
  for (const auto& directory : {path(), path() / ""})
    EXPECT_EQ(report_of(load_run(directory)).run, path().filename()) << directory;
}

TEST_F(StoredRunFiles, AreNamedWithWhatIsWrong) {
  EXPECT_THAT(refusal_of(path() / "none"), HasSubstr("there is no such directory or file"));
  EXPECT_THAT(refusal(), HasSubstr("stats.json"));
  write("manifest.json", "{}");
  EXPECT_EQ(refusal(), "status 5: " + path().string() + ": the run ended before it had results");
  write("stats.json", "{");
  EXPECT_THAT(refusal(), EndsWith("stats.json:1:2: is no JSON document"));
  write("stats.json", "[1]");
  EXPECT_THAT(refusal(), EndsWith("stats.json: is not the statistics of a run"));
  write("stats.json", R"({"schema_version": 99})");
  EXPECT_THAT(refusal(), HasSubstr("has schema version 99; this tcsim reads 1"));
  write("stats.json", R"({"schema_version": 1})");
  EXPECT_THAT(refusal(), EndsWith("manifest.json: is not the manifest of a run"));
  store(fake_run());
  Json stats = fake_run().stats.json();
  stats.erase("title");
  store({"run", View(stats, "stats.json"), fake_run().manifest});
  EXPECT_THAT(refusal(), HasSubstr("has no 'title': an older tcsim wrote it"));
}

TEST_F(StoredRunFiles, WithoutResultsAreRefusedAsTheirManifestSays) {
  write("manifest.json", R"({"complete": false, "stopped_by": "running"})");
  EXPECT_EQ(refusal(), "status 5: " + path().string() + ": has no results yet");
  write("manifest.json", R"({"complete": false, "stopped_by": "interrupted"})");
  EXPECT_EQ(refusal(), "status 5: " + path().string() + ": the run ended before it had results");
  write("manifest.json", R"({"complete": true, "stopped_by": "finished"})");
  EXPECT_EQ(refusal(), "status 5: " + (path() / "stats.json").string() +
                           ": cannot read: No such file or directory");
}

// As a process leaves them that is killed while it puts its results in the place of earlier ones.
TEST_F(StoredRunFiles, BesideTheManifestOfAnUnfinishedRunAreRefused) {
  store(fake_run());
  Json manifest = fake_run().manifest.json();
  manifest["stopped_by"] = "running";
  write("manifest.json", report::sealed_manifest(report::FilePlaces{}, manifest).dump(2));
  EXPECT_THAT(refusal(),
              EndsWith("stats.json: is of a run that has not finished or was killed; run "
                       "the workload again"));
}

TEST_F(StoredRunFiles, ThatWereChangedAreRefused) {
  store(fake_run());
  const Json changed = with_stat(fake_run(), "/metrics/tflops/value", 3.5).stats.json();
  write("stats.json", changed.dump(2));
  EXPECT_THAT(refusal(), HasSubstr("status 2"));
  EXPECT_THAT(refusal(), HasSubstr("stats.json: was changed since it was written"));
  store(fake_run());
  Json manifest = load_run(path()).manifest.json();
  manifest["wall_s"] = 99;
  write("manifest.json", manifest.dump(2));
  EXPECT_THAT(refusal(), HasSubstr("manifest.json: was changed since it was written"));
}

TEST_F(StoredRunFiles, OfATcsimWithoutChecksumsAreReadAndSaidToBeUnverified) {
  store(fake_run());
  EXPECT_THAT(section_text(provenance_section(load_run(path()))),
              testing::Not(HasSubstr("not verified")));
  write("manifest.json", fake_run().manifest.json().dump());
  const StoredRun old = load_run(path());
  EXPECT_FALSE(old.verified);
  EXPECT_THAT(section_text(provenance_section(old)), HasSubstr("not verified"));
}

TEST_F(StoredRunFiles, HoldOnlyNumbersThatARunCanHave) {
  const auto refused = [&](const std::string& pointer, const Json& value) {
    store_with(pointer, value);
    return refusal();
  };
  EXPECT_THAT(refused("/facts/peak_tflops/value", 0),
              EndsWith("stats.json: facts.peak_tflops.value: expected a number from 1e-12 to "
                       "1e+24, got 0"));
  EXPECT_THAT(refused("/facts/clock_mhz/value", nullptr),
              EndsWith("facts.clock_mhz.value: expected a number, got null"));
  EXPECT_THAT(refused("/kernels/0/cycles", "many"), HasSubstr("kernels[0].cycles: expected"));
  EXPECT_THAT(refused("/kernels/0/ctas", 1e300), HasSubstr("kernels[0].ctas: expected"));
  EXPECT_THAT(refused("/activity/cycle", Json::array({1})), HasSubstr("activity."));
  EXPECT_THAT(refused("/activity/cycle/1", 0), HasSubstr("activity.cycle[1]: expected"));
  EXPECT_THAT(refused("/machine_card/bandwidths/0/gb_per_s", 0), HasSubstr("gb_per_s: expected"));
  EXPECT_THAT(refused("/counters", Json::object()), HasSubstr("counters: counts no sub_core"));
  EXPECT_THAT(refused("/title", 7), HasSubstr("title: expected a text, got 7"));
}

TEST_F(StoredRunFiles, NestedDeeplyAreRefusedBeforeAnybodyWalksThem) {
  store(fake_run());
  write("stats.json", std::string(80'000, '['));
  EXPECT_THAT(refusal(), EndsWith("stats.json:1:65: nested deeper than 64 levels"));
}

}  // namespace
}  // namespace tcsim::results
