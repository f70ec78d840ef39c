// Folders and SPECs of others, and what tcsim sweep does with them.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "sim/report/checksum.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

constexpr const char* kTwoPointSpec =
    "name: small\nmachines: [lab-tiny]\nworkloads: [\"gemm:m={n},n=32,k=32\"]\n"
    "axes: {n: [32, 64]}\n";

class HostileSweep : public testing::Test {
 protected:
  HostileSweep() { write("victim", "mine\n"); }
  ~HostileSweep() override { EXPECT_EQ(text_of("victim"), "mine\n"); }

  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static ChildResult run(const std::string& further = "") {
    write("spec.yaml", kTwoPointSpec + further);
    return tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  }
  /// A folder with a plan whose points are open.
  static void prepare() {
    write("spec.yaml", kTwoPointSpec);
    ASSERT_EQ(tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "print"}).status,
              kDone);
  }
  static Json plan() { return Json::parse(text_of("s/plan.json")); }
  /// With a right checksum, which anybody can compute.
  static void replace_plan(const Json& plan) { write("s/plan.json", report::sealed(plan).dump()); }
  static ChildResult work() { return tcsim({"sweep", "work", "s", "-q"}); }
  static void plant(const char* file, const std::string& script) {
    write(file, "#!/bin/sh\n" + script + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }

  TemporaryHome home_;
};

TEST_F(HostileSweep, PlotsAreWrittenIntoTheFolderAlone) {
  for (const char* name : {"../../evil", "/tmp/tcsim-evil", "a/b", "..", ".x", "-x"}) {
    const ChildResult result =
        run(std::string("plots: [{kind: curves, x: n, y: tflops, name: \"") + name + "\"}]\n");
    EXPECT_EQ(result.status, kUserMistake) << name;
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("spec.yaml:5:9: plots[0].name: '"), HasSubstr("names a file")));
  }
  EXPECT_FALSE(fs::exists("/tmp/tcsim-evil.svg"));
  EXPECT_FALSE(fs::exists("s"));
}

TEST_F(HostileSweep, AnAxisWithASlashGivesAPlotAPlainName) {
  write("spec.yaml",
        "name: small\nmachines: [lab-tiny]\nworkloads: [\"gemm:m={../../n},n=32,k=32\"]\n"
        "axes: {../../n: [32, 64]}\nplots: [{kind: curves, x: ../../n, y: tflops}]\n");
  EXPECT_NE(tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"}).status, kOurBug);
  EXPECT_FALSE(fs::exists("n.svg"));
}

TEST_F(HostileSweep, TheProgramOfAForeignFolderIsNotRun) {
  prepare();
  const std::string name = plan()["program"];
  plant("s/bin/other", "touch evil");
  Json foreign = plan();
  foreign["program"] = "bin/other";
  replace_plan(foreign);
  const ChildResult other = work();
  EXPECT_EQ(other.status, kUserMistake);
  EXPECT_THAT(other.errors, AllOf(HasSubstr("its points are for bin/other, which is not this"),
                                  HasSubstr("start: s/bin/other sweep work s")));
  foreign["program"] = name;  // the right name, another file
  replace_plan(foreign);
  fs::remove("s/" + name);
  plant(("s/" + name).c_str(), "touch evil");
  EXPECT_EQ(work().status, kDone);
  EXPECT_FALSE(fs::exists("evil"));
  EXPECT_FALSE(fs::exists("s/evil"));
}

TEST_F(HostileSweep, ProgramsOutsideTheFolderAreNoneOfASweep) {
  prepare();
  for (const char* program : {"/bin/sh", "bin/../../victim", "../victim", ""}) {
    Json foreign = plan();
    foreign["program"] = program;
    replace_plan(foreign);
    EXPECT_EQ(work().status, kUserMistake) << program;
    EXPECT_EQ(tcsim({"sweep", "status", "s"}).status, kUserMistake) << program;
  }
}

TEST_F(HostileSweep, PointsHaveNoCommandsOfTheirOwn) {
  prepare();
  const Json original = plan();
  for (const auto& words :
       {std::vector<std::string>{"-o", "out"}, {"--out=out"}, {"--set", "-o"}, {"--timeline"}}) {
    Json foreign = original;
    auto command = original["points"][0]["command"].get<std::vector<std::string>>();
    command.insert(command.begin() + 4, words.begin(), words.end());
    foreign["points"][0]["command"] = command;
    replace_plan(foreign);
    const ChildResult result = work();
    EXPECT_EQ(result.status, kUserMistake) << words.front();
    EXPECT_THAT(result.errors, HasSubstr("is not a command of a sweep"));
  }
  Json foreign = original;
  foreign["points"][0]["command"] = {"sweep", "run", "/elsewhere/spec.yaml"};
  replace_plan(foreign);
  EXPECT_EQ(work().status, kUserMistake);
  EXPECT_FALSE(fs::exists("s/out"));
}

TEST_F(HostileSweep, KeysAndPlotsOfAPlanNameNoFileOutside) {
  prepare();
  const Json original = plan();
  Json foreign = original;
  foreign["points"][0]["key"] = "../../victim";
  replace_plan(foreign);
  EXPECT_EQ(work().status, kUserMistake);
  EXPECT_EQ(tcsim({"sweep", "collect", "s"}).status, kUserMistake);
  foreign = original;
  foreign["plots"] = {{{"kind", "curves"},
                       {"name", "../../evil"},
                       {"title", ""},
                       {"x", "n"},
                       {"y", "tflops"},
                       {"series", ""},
                       {"value", ""},
                       {"axes", Json::array()},
                       {"where", Json::object()}}};
  replace_plan(foreign);
  const ChildResult result = tcsim({"sweep", "collect", "s"});
  EXPECT_EQ(result.status, kUserMistake);
  EXPECT_THAT(result.errors, HasSubstr("plots: '../../evil' names a file"));
}

TEST_F(HostileSweep, AnInputThatIsALinkOrWasChangedIsNotRead) {
  prepare();
  const fs::path input = fs::directory_iterator("s/inputs")->path();
  write("private", "-----BEGIN PRIVATE KEY-----\n");
  fs::remove(input);
  fs::create_symlink(fs::absolute("private"), input);
  const ChildResult linked = work();
  EXPECT_EQ(linked.status, kUserMistake);
  EXPECT_THAT(linked.errors, HasSubstr("no file, or a link to one"));
  fs::remove(input);
  write(input, "-----BEGIN PRIVATE KEY-----\n");
  EXPECT_THAT(work().errors, AllOf(HasSubstr("not the file that was copied here"),
                                   Not(HasSubstr("BEGIN PRIVATE"))));
  EXPECT_TRUE(fs::is_empty("s/failed"));
}

TEST_F(HostileSweep, FoldersThatAreLinksAreNotWrittenToAndNotCleared) {
  for (const char* name :
       {"points", "failed", "inputs", "bin", "running", "scratch", "plots", "slurm"}) {
    fs::remove_all("s");
    fs::create_directories("s");
    fs::create_directories("documents");
    write("documents/thesis.tex", "years of work\n");
    fs::create_symlink(fs::absolute("documents"), std::string("s/") + name);
    const ChildResult result = run();
    EXPECT_EQ(result.status, kUserMistake) << name;
    EXPECT_THAT(result.errors, HasSubstr(std::string("s/") + name + ": not a folder, or a link"));
    EXPECT_EQ(text_of("documents/thesis.tex"), "years of work\n") << name;
    EXPECT_EQ(std::distance(fs::directory_iterator("documents"), {}), 1) << name;
  }
}

TEST_F(HostileSweep, FilesThatAreLinksAreReplacedNotWrittenThrough) {
  ASSERT_EQ(run("plots: [{kind: curves, x: n, y: tflops, name: p}]\n").status, kDone);
  for (const char* name :
       {"sweep.csv", "totals.csv", "report.html", "sweep.sqlite", "plots/p.svg", "plan.json"}) {
    if (std::string(name) != "plan.json") fs::remove(fs::path("s") / name);
    if (std::string(name) != "plan.json")
      fs::create_symlink(fs::absolute("victim"), fs::path("s") / name);
  }
  EXPECT_EQ(tcsim({"sweep", "collect", "s"}).status, kDone);
  EXPECT_FALSE(fs::is_symlink("s/sweep.csv"));
  EXPECT_FALSE(fs::is_symlink("s/plots/p.svg"));
}

TEST_F(HostileSweep, AMarkOrALockThatIsALinkIsNotWrittenThrough) {
  prepare();
  const auto read = plan();
  for (const auto& point : read["points"]) {
    const fs::path mark = fs::path("s/running") / point["key"].get<std::string>();
    fs::create_hard_link("victim", mark);
  }
  EXPECT_EQ(work().status, kDone);
  EXPECT_EQ(text_of("victim"), "mine\n");
  fs::remove("s/lock");
  fs::create_symlink(fs::absolute("made"), "s/lock");
  EXPECT_EQ(work().status, kFileTrouble);
  EXPECT_FALSE(fs::exists("made"));
}

TEST_F(HostileSweep, AMarkThatIsAPipeHoldsNobodyUp) {
  prepare();
  const fs::path mark = fs::path("s/running") / plan()["points"][0]["key"].get<std::string>();
  ASSERT_EQ(::mkfifo(mark.c_str(), 0600), 0);
  EXPECT_EQ(tcsim({"sweep", "status", "s"}).status, kDone);
}

TEST_F(HostileSweep, TheResultOfAnotherPointIsNotTaken) {
  ASSERT_EQ(run().status, kDone);
  const std::string before = text_of("s/sweep.csv");
  const Json points = plan()["points"];
  const std::string first = "s/points/" + points[0]["key"].get<std::string>() + ".json";
  const std::string second = "s/points/" + points[1]["key"].get<std::string>() + ".json";
  fs::copy_file(first, second, fs::copy_options::overwrite_existing);
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output, HasSubstr("1 damaged result file:"));
  EXPECT_EQ(run().status, kDone);
  EXPECT_EQ(text_of("s/sweep.csv"), before);
}

TEST_F(HostileSweep, WordsForTheClusterAreWordsAndNothingElse) {
  fs::create_directory("a b;touch evil;$(touch evil)'%j");
  const std::string folder = "a b;touch evil;$(touch evil)'%j/s";
  write("spec.yaml", kTwoPointSpec);
  plant("sbatch", "for word in \"$@\"; do echo \"$word\" >> words; done\necho 17");
  const std::string path = "PATH=" + fs::current_path().string() + ":/usr/bin:/bin";
  const ChildResult result =
      command({"/usr/bin/env", path, program(), "sweep", "submit", "spec.yaml", "-o", folder});
  EXPECT_EQ(result.status, kDone) << result.errors;
  const std::string root = fs::absolute(folder).string();
  EXPECT_THAT(text_of("words"),
              AllOf(HasSubstr("--chdir=" + root + "\n"), HasSubstr("%%j/s/slurm/work-%a.log\n"),
                    HasSubstr(root + "/slurm/work.sh\n"), HasSubstr("--job-name=small\n")));
  const ChildResult script =
      command({"/usr/bin/env", "SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_COUNT=1", "/bin/sh",
               folder + "/slurm/work.sh"});
  EXPECT_EQ(script.status, kDone) << script.errors;
  EXPECT_FALSE(fs::exists("evil"));
  EXPECT_FALSE(fs::exists(fs::path(folder) / "evil"));
}

TEST_F(HostileSweep, NamesReachTablesAndPagesAsText) {
  const std::string evil = "\"=HYPERLINK(\\\"http://x\\\")<script>alert(1)</script>\\e[2J\"";
  write("spec.yaml", "name: small\ndescription: " + evil + "\nmachines: [{name: " + evil +
                         ", base: lab-tiny}, lab-tiny]\nworkloads: [\"gemm:32\"]\n");
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "s"});
  if (result.status == kUserMistake) return;  // refused at the door, with its control character
  EXPECT_EQ(result.status, kDone) << result.errors;
  EXPECT_THAT(result.output + result.errors, Not(HasSubstr("\x1b[2J")));
  EXPECT_THAT(text_of("s/sweep.csv"), AllOf(HasSubstr("\"'=HYPERLINK("), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(text_of("s/totals.csv"), HasSubstr("\"'=HYPERLINK("));
  EXPECT_THAT(text_of("s/report.html"),
              AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("\x1b"))));
  const ChildResult markdown = tcsim({"sweep", "plan", "spec.yaml", "-f", "md"});
  EXPECT_THAT(markdown.output, AllOf(Not(HasSubstr("<script>")), HasSubstr("&lt;script>")));
}

}  // namespace
}  // namespace tcsim::cli
