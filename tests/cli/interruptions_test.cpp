// A time limit, a cycle limit, Ctrl-C and SIGTERM, each while a run is planned, prepared, in its
// first wave and in its tail, of every kind of run: it ends within a second, with the documented
// status, and keeps what it has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"
#include "tests/sanitizers.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// Sanitizers make everything slower.
constexpr int kSlowness = kIsSanitized ? 8 : 1;
constexpr milliseconds kSecond = kSlowness * milliseconds(1000);
/// A host that has other things to do may be late by chance, though not so often.
constexpr int kAttempts = 8;

enum class Cause : std::uint8_t { kTimeLimit, kCycleLimit, kControlC, kTermination };

struct CauseWords {
  const char* test_name;
  const char* stopped_by;  ///< in manifests
  int signal;
  int status;  ///< README.md
};
constexpr CauseWords kCauses[] = {{"TimeLimit", "time limit", 0, 4},
                                  {"CycleLimit", "cycle limit", 0, 4},
                                  {"ControlC", "interrupted", SIGINT, 130},
                                  {"Termination", "interrupted", SIGTERM, 130}};
const CauseWords& words_of(Cause cause) { return kCauses[static_cast<std::size_t>(cause)]; }

using Words = std::vector<std::string>;

/// What is interrupted, and when.
struct Scene {
  std::string name;
  Words command;                  ///< it works in out/, if anywhere
  std::function<void()> prepare;  ///< in an empty folder
  std::string cycles;             ///< at which it has this state
  std::function<bool()> sign;     ///< it is about to have it
  milliseconds delay;             ///< from the sign until it surely has it
  std::function<void(const CauseWords&)> expect_what_is_kept;
};

struct Interrupted {
  ChildResult result;
  Clock::duration after{};  ///< from the interruption
};

Interrupted interrupted(const Scene& scene, Cause cause) {
  Words words = scene.command;
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  const milliseconds limit = time_to_start() + kSlowness * milliseconds(400);
  if (cause == Cause::kTimeLimit) add("--timeout", std::to_string(limit.count()) + "e-3");
  if (cause == Cause::kCycleLimit) add("--max-cycles", scene.cycles);
  const Clock::time_point start = Clock::now();
  Clock::time_point seen = Clock::time_point::max();
  Clock::time_point sent = start + limit;
  Interrupted ending;
  ending.result = tcsim(words, [&]() -> int {
    const Clock::time_point now = Clock::now();
    if (seen == Clock::time_point::max() && scene.sign()) seen = now;
    if (words_of(cause).signal == 0 || seen > now || now - seen < kSlowness * scene.delay) return 0;
    sent = now;
    return words_of(cause).signal;
  });
  if (cause != Cause::kCycleLimit) ending.after = Clock::now() - sent;
  return ending;
}

void expect_an_interruption(const Scene& scene, Cause cause) {
  Clock::duration soonest = Clock::duration::max();
  for (int attempt = 0; attempt < kAttempts && soonest >= kSecond; ++attempt) {
    const TemporaryHome home;
    if (scene.prepare) scene.prepare();
    const Interrupted ending = interrupted(scene, cause);
    ASSERT_EQ(ending.result.status, words_of(cause).status) << ending.result.errors;
    ASSERT_EQ(ending.result.signal, 0);
    scene.expect_what_is_kept(words_of(cause));
    for (const auto& entry : fs::recursive_directory_iterator("."))
      EXPECT_EQ(entry.path().string().find(".writing-"), std::string::npos) << entry.path();
    soonest = std::min(soonest, ending.after);
  }
  EXPECT_LT(std::chrono::duration_cast<milliseconds>(soonest).count(), kSecond.count());
}

Json json_in(const fs::path& file) {
  const Json value = Json::parse(text_of(file), nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(value.is_discarded()) << file;
  return value;
}

void expect_nothing(const CauseWords& /*cause*/) { EXPECT_FALSE(fs::exists("out")); }

void expect_the_reason(const CauseWords& cause) {
  const Json manifest = json_in("out/manifest.json");
  EXPECT_EQ(manifest["complete"], false);
  EXPECT_EQ(manifest["stopped_by"], cause.stopped_by);
}

void expect_results(const CauseWords& cause) {
  expect_the_reason(cause);
  const Json stats = json_in("out/stats.json");
  EXPECT_EQ(stats["complete"], false);
  EXPECT_GT(stats["cycles"], 0);
  for (const char* file : {"stats.csv", "kernels.csv", "report.html", "report.md"})
    EXPECT_GT(fs::file_size(fs::path("out") / file), 0) << file;
}

/// The same of a kernel of which `warps` were on the machine in the end.
std::function<void(const CauseWords&)> expect_results_with(int warps) {
  return [warps](const CauseWords& cause) {
    expect_results(cause);
    EXPECT_EQ(json_in("out/stats.json")["activity"]["resident_warps"].back(), warps);
  };
}
constexpr int kFull = 32;
constexpr int kOneCta = 4;

/// 64 CTAs, each of whose loops takes `trips`.
std::function<void()> kernel(const std::string& trips) {
  return [trips] {
    std::ofstream("kernel.tct") << "tct 1\nkernel long\ngrid 64 1 1\nwarps 4\nregisters 64\n"
                                   "shared 0\nbuffer A input base=0x10000 bytes=67108864\n\n"
                                   "program main warps 0-3\n  loop i0 < "
                                << trips
                                << "\n    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + "
                                   "2048*(i0%1024)]\n"
                                   "    HMMA.16816.F32 R16, R8, R12, R16\n  end\n  EXIT\n";
  };
}

const Words run_kernel{"run", "trace:kernel.tct", "-m", "lab-tiny", "-o", "out"};
const Words sample_kernel{"run",        "trace:kernel.tct", "-m", "lab-tiny",
                          "--fidelity", "sampled",          "-o", "out"};
constexpr const char* kEveryCta = "1000000000";
constexpr const char* kLastCta = "1 + 1000000000*(ctaid.x/63)";
bool always() { return true; }
bool has_manifest() { return fs::exists("out/manifest.json"); }

/// Nothing is there to be kept while the workload is being read.
const Scene in_planning{"Planning",
                        run_kernel,
                        [] { ASSERT_EQ(::mkfifo("kernel.tct", 0600), 0); },
                        "",
                        always,
                        milliseconds(300),
                        expect_nothing};

/// With --tensor-core rtl the values of a product come before its first cycle.
const Scene in_preparation{
    "Preparation",
    {"run", "gemm:2048", "-m", "lab-tiny", "--tensor-core", "rtl", "-o", "out"},
    {},
    "",
    has_manifest,
    milliseconds(200),
    expect_the_reason};

/// Before the first CTA has begun.
const Scene in_launch{"Launch",     run_kernel,      kernel(kEveryCta), "1",
                      has_manifest, milliseconds(0), expect_results};
const Scene in_first_wave{"FirstWave",  run_kernel,        kernel(kEveryCta),         "5000",
                          has_manifest, milliseconds(300), expect_results_with(kFull)};
const Scene in_drain{"Drain",
                     run_kernel,
                     kernel(kLastCta),
                     "200000",
                     has_manifest,
                     milliseconds(300),
                     expect_results_with(kOneCta)};
const Scene in_sampled_first_wave{
    "SampledFirstWave", sample_kernel,     kernel(kEveryCta),         "5000",
    has_manifest,       milliseconds(300), expect_results_with(kFull)};
const Scene in_sampled_drain{"SampledDrain",
                             sample_kernel,
                             kernel(kLastCta),
                             "200000",
                             has_manifest,
                             milliseconds(300),
                             expect_results_with(kOneCta)};

/// A window of which much is recorded by then: writing it would take long, and a cycle limit waits.
const Scene in_timeline{"Timeline",
                        {"run", "trace:kernel.tct", "-m", "lab-tiny", "--timeline",
                         "sm=0,cycles=0:100000000", "-o", "out"},
                        kernel(kEveryCta),
                        "50000",
                        has_manifest,
                        milliseconds(300),
                        [](const CauseWords& cause) {
                          expect_results(cause);
                          const bool is_unhurried = std::string(cause.test_name) == "CycleLimit";
                          EXPECT_EQ(fs::exists("out/timeline.kanata.zst"), is_unhurried);
                        }};

/// Many kernels, each of which takes a moment.
constexpr std::size_t kSteps = 4000;
const Scene in_network{"Network",
                       {"run", "net:deep.yaml", "-m", "lab-tiny", "--no-reuse", "-o", "out"},
                       [] {
                         std::ofstream("deep.yaml")
                             << "name: deep\ninput: {tokens: 512, c: 512}\n"
                                "blocks:\n  b: {layers: [{name: r, op: relu}]}\n"
                                "layers:\n  - {name: x, block: b, repeat: "
                             << kSteps << "}\n";
                       },
                       "2000",
                       has_manifest,
                       milliseconds(400),
                       [](const CauseWords& cause) {
                         const Json manifest = json_in("out/manifest.json");
                         EXPECT_EQ(manifest["complete"], false);
                         EXPECT_THAT(manifest["stopped_by"], HasSubstr(cause.stopped_by));
                         const Json steps = json_in("out/network.json")["steps"];
                         ASSERT_GE(steps.size(), 1U);
                         EXPECT_LT(steps.size(), kSteps);
                         EXPECT_GT(steps[0]["result"]["cycles"], 0);
                       }};

/// A row that is done, one under way and one that is to come; limits are those of each row.
const Scene in_list{"List",
                    {"run", "csv:list.csv", "-m", "lab-tiny", "-j", "1", "-o", "out", "-q"},
                    [] {
                      std::ofstream("list.csv")
                          << "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=64;n=64;k=64\n"
                             "gemm,fp16,fp32,m=8192;n=8192;k=8192\ngemm,fp16,fp32,m=64;n=64;k=64\n";
                    },
                    "",
                    [] { return fs::exists("out/rows/0002-lab-tiny/manifest.json"); },
                    milliseconds(200),
                    [](const CauseWords& cause) {
                      const Json rows = json_in("out/rows.json");
                      EXPECT_EQ(rows[0]["status"], "done");
                      EXPECT_EQ(rows[1]["status"], "stopped");
                      EXPECT_EQ(rows[1]["reason"], cause.stopped_by);
                      EXPECT_GT(rows[1]["result"]["cycles"], 0);
                      EXPECT_EQ(rows[2]["status"], "not run");
                      EXPECT_EQ(json_in("out/manifest.json")["stopped_by"], cause.stopped_by);
                      EXPECT_EQ(json_in("out/rows/0002-lab-tiny/stats.json")["complete"], false);
                    }};

/// The same of a sweep, which keeps no part of a point.
const Scene in_sweep{"Sweep",
                     {"sweep", "run", "spec.yaml", "-j", "1", "-o", "out", "-q"},
                     [] {
                       std::ofstream("spec.yaml")
                           << "name: s\nmachines: [lab-tiny]\nworkloads: [\"gemm:{n}\"]\n"
                              "axes: {n: [64, 8192, 128]}\n";
                     },
                     "",
                     [] { return fs::exists("out/points") && !fs::is_empty("out/points"); },
                     milliseconds(300),
                     [](const CauseWords& /*cause*/) {
                       const auto points = fs::directory_iterator("out/points");
                       EXPECT_EQ(std::distance(begin(points), end(points)), 1);
                       EXPECT_THAT(text_of("out/sweep.csv"), HasSubstr(",done,"));
                       EXPECT_THAT(text_of("out/sweep.csv"), HasSubstr(",open,"));
                     }};

struct Interruption {
  Scene scene;
  Cause cause;
};

std::vector<Interruption> interruptions() {
  std::vector<Interruption> all;
  for (const Scene& scene : {in_planning, in_preparation, in_launch, in_first_wave, in_drain,
                             in_sampled_first_wave, in_sampled_drain, in_timeline, in_network})
    for (const Cause cause :
         {Cause::kTimeLimit, Cause::kCycleLimit, Cause::kControlC, Cause::kTermination})
      if (cause != Cause::kCycleLimit || !scene.cycles.empty()) all.push_back({scene, cause});
  for (const Scene& scene : {in_list, in_sweep})  // limits are those of each row and point
    for (const Cause cause : {Cause::kControlC, Cause::kTermination}) all.push_back({scene, cause});
  return all;
}

void PrintTo(const Interruption& interruption, std::ostream* out) {
  *out << interruption.scene.name << " by " << words_of(interruption.cause).test_name;
}

class InterruptionOf : public ::testing::TestWithParam<Interruption> {};

TEST_P(InterruptionOf, EndsWithinASecondAndKeepsWhatIsDone) {
  expect_an_interruption(GetParam().scene, GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(ARun, InterruptionOf, ::testing::ValuesIn(interruptions()),
                         [](const auto& each) {
                           return each.param.scene.name + "By" +
                                  words_of(each.param.cause).test_name;
                         });

}  // namespace
}  // namespace tcsim::cli
