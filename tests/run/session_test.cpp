#include "sim/run/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/config/load.hpp"
#include "sim/config/peak.hpp"
#include "sim/errors/errors.hpp"
#include "sim/library/load.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/network_report.hpp"
#include "sim/run/network_run.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/run/request_of.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::run {
namespace {

using testing::HasSubstr;
using testing::Not;

using Json = nlohmann::ordered_json;

Json without_host(Json json) {
  json.erase("simulation");
  return json;
}

TEST(Run, AProgramGetsWhatTheCommandLineGets) {
  const RunRequest request =
      request_of("{workload: \"gemm:96\", machine: v100, warm_l2: true, jobs: 1}");
  const Json own = report::run_json(run(request, {}));
  const auto child = cli::tcsim(
      {"run", "gemm:96", "-m", "v100", "--warm-l2", "-j", "1", "-f", "json", "-q", "--no-files"});
  ASSERT_EQ(child.status, kDone) << child.errors;
  EXPECT_EQ(without_host(own), without_host(Json::parse(child.output)));
}

TEST(Run, TheMeasuredReferenceIsThatOfTheMachineWhereverItsFileIs) {
  const cli::TemporaryHome home;
  const auto validated = [](const std::string& machine, const std::string& more) {
    return run(request_of("{workload: \"gemm:64\", machine: " + machine + ", jobs: 1" + more + "}"),
               {})
        .validated;
  };
  std::filesystem::copy_file(config::configs_folder() / "a100.yaml", "copy.yaml");
  const std::string shipped = validated("a100", "");
  EXPECT_THAT(shipped, HasSubstr("on a100: median error"));
  EXPECT_EQ(validated("copy.yaml", ""), shipped);
  EXPECT_EQ(validated("copy.yaml", ", set: [\"clocks.sm_mhz=1410\"]"), shipped);
  const std::string none = "no measured reference for a machine that is not shipped or was changed";
  EXPECT_EQ(validated("copy.yaml", ", set: [\"clocks.sm_mhz=1400\"]"), none);
  EXPECT_EQ(validated("copy.yaml", ", set: [\"name=mine\"]"), none);
}

TEST(Run, TheMeasuredReferenceIsOfTheTypeThatRan) {
  const std::string fp16 = "{workload: \"gemm:64\", machine: p100, jobs: 1}";
  EXPECT_THAT(run(request_of(fp16), {}).validated, HasSubstr("gemm fp32 on CUDA cores"));
}

TEST(Run, PackedWeightsAndTheirScalesComeFromDramOnce) {
  const RunRequest request = request_of(
      "{workload: \"gemm:m=16,n=512,k=512,weights=int4,group=128\", machine: lab-tiny, jobs: 1}");
  const Json own = report::run_json(run(request, {}));
  EXPECT_EQ(own["memory"]["dram_read_bytes"], 16 * 512 * 2 + 512 * 512 / 2 + 512 / 128 * 512 * 2);
}

TEST(Run, ColdCodeIsAnInputThatTheHashNames) {
  RunRequest request = request_of("{workload: \"gemm:64\", machine: lab-tiny, jobs: 1}");
  const report::RunRecord usual = run(request, {});
  request.cold_code = true;
  const report::RunRecord cold = run(request, {});
  EXPECT_GT(cold.outcome.cycles, usual.outcome.cycles);
  EXPECT_NE(cold.configuration_hash, usual.configuration_hash);
  EXPECT_EQ(cold.inputs.l2_state, "cold, code in DRAM");
}

TEST(Run, NamesTheMachineThatWasAskedForWhateverTheClock) {
  const std::string hash =
      report::hash_text(config::canonical_text(library::read_machine("lab-tiny")));
  for (const char* clock : {"boost", "power"})
    EXPECT_EQ(run(request_of("{workload: \"gemm:64\", machine: lab-tiny, jobs: 1, clock: " +
                             std::string(clock) + "}"),
                  {})
                  .machine_hash,
              hash)
        << clock;
}

TEST(Run, AListenerHearsAndStops) {
  Hooks hooks;
  int heard = 0;
  hooks.progress = [&heard] { return [&heard](const gpu::Progress&) { ++heard; }; };
  const RunRequest request = request_of("{workload: \"gemm:128\", machine: v100, jobs: 1}");
  EXPECT_TRUE(run(request, hooks).complete());
  EXPECT_GT(heard, 0);
  hooks.stop = [] { return StopCause::kLimit; };
  const report::RunRecord stopped = run(request, hooks);
  EXPECT_FALSE(stopped.complete());
  EXPECT_EQ(stopped.stopped_by, "time limit");
}

TEST(Run, ValuesThatAreStoppedLeaveThePartialResultOfTheSimulation) {
  for (const char* workload : {"gemm:128", "softmax:rows=64,cols=64"}) {
    const RunRequest request = request_of("{workload: \"" + std::string(workload) +
                                          "\", machine: lab-tiny, values: true, jobs: 1}");
    int asked = 0;
    int last = std::numeric_limits<int>::max();
    Hooks hooks;
    hooks.stop = [&] { return ++asked > last ? StopCause::kLimit : StopCause::kNone; };
    Session session(request, only_workload(request), hooks);
    const report::RunRecord simulated = session.simulate();
    ASSERT_TRUE(session.lacks_values(simulated));
    report::RunRecord whole = simulated;
    asked = 0;
    session.add_values(whole);
    EXPECT_TRUE(whole.complete());
    EXPECT_TRUE(whole.values);
    for (const int polls : {0, asked - 1}) {  // in the kernels, and in what they are compared with
      report::RunRecord stopped = simulated;
      asked = 0;
      last = polls;
      session.add_values(stopped);
      EXPECT_FALSE(stopped.complete());
      EXPECT_EQ(stopped.stopped_by, "time limit");
      EXPECT_FALSE(stopped.values);
      EXPECT_EQ(stopped.outcome.cycles, whole.outcome.cycles);
    }
  }
}

TEST(Run, ValuesForTheRtlAreStoppedBeforeTheRun) {
  int asked = 0;
  Hooks hooks;
  hooks.stop = [&asked] { return ++asked > 1 ? StopCause::kLimit : StopCause::kNone; };
  const report::RunRecord stopped = run(
      request_of("{workload: \"gemm:1024\", machine: lab-tiny, tensor_core: rtl, jobs: 1}"), hooks);
  EXPECT_FALSE(stopped.complete());
  EXPECT_EQ(stopped.stopped_by, "time limit");
  EXPECT_LT(stopped.outcome.cycles, 1000) << "the run ends at its first look";
  EXPECT_LE(asked, 3);
}

TEST(Run, ANetworkStopsBetweenStepsThatAreAsBefore) {
  const cli::TemporaryHome home;
  std::ofstream("equal.yaml") << "name: equal\ninput: {tokens: 64, c: 512}\n"
                                 "blocks:\n  b: {layers: [{name: r, op: relu}]}\n"
                                 "layers:\n  - {name: x, block: b, repeat: 8}\n";
  StopCause cause = StopCause::kNone;
  Hooks hooks;
  hooks.stop = [&cause] { return cause; };
  const NetworkSession session(request_of("{workload: \"net:equal.yaml\", machine: lab-tiny}"),
                               hooks);
  const report::NetworkRun stopped =
      session.run([&](std::size_t, std::size_t, const report::NetworkStep& step) {
        if (step.is_reused) cause = StopCause::kSignal;
      });
  ASSERT_EQ(cause, StopCause::kSignal);
  EXPECT_LT(stopped.steps.size(), 8U);
  EXPECT_TRUE(stopped.steps.back().is_reused);
  EXPECT_FALSE(stopped.is_complete);
  EXPECT_EQ(stopped.stopped_by, "interrupted");
}

TEST(Run, ANetworkThatWasStoppedHasNoRatesOfItsBatch) {
  StopCause cause = StopCause::kNone;
  Hooks hooks;
  hooks.stop = [&cause] { return cause; };
  const NetworkSession session(request_of("{workload: \"net:lenet\", machine: lab-tiny}"), hooks);
  const report::NetworkRun stopped = session.run(
      [&](std::size_t, std::size_t, const report::NetworkStep&) { cause = StopCause::kSignal; });
  const std::string text = report::network_text(stopped);
  EXPECT_THAT(
      text,
      HasSubstr(
          "\nINCOMPLETE: interrupted after 1 step; the figures cover only the part that ran\n"));
  EXPECT_THAT(text, Not(HasSubstr("samples/s")));
  EXPECT_THAT(text, Not(HasSubstr("FLOPS (")));
  const Json json = report::network_json(stopped);
  EXPECT_TRUE(json.at("metrics").at("samples_per_s").at("value").is_null());
  EXPECT_TRUE(json.at("metrics").at("network_tflops").at("value").is_null());
  EXPECT_TRUE(json.at("tflops").is_null());
  EXPECT_TRUE(json.at("peak_fraction").is_null());
}

TEST(Run, ARefusalNamesTheTypeOfTheResultThatWasAskedFor) {
  const auto refusal = [](const std::string& words) -> std::string {
    return test::refusal<NotCovered>(
        [&] { return run(request_of("{workload: \"" + words + "\", machine: v100}"), {}); });
  };
  EXPECT_THAT(refusal("gemm:64,out=bf16"),
              HasSubstr("v100: gemm 64x64x64 fp16->fp32 NT out bf16: no kernel "));
  const std::string conv = "conv:n=1,hw=8,c=64,k=64,rs=3,algo=implicit_gemm_tma";
  EXPECT_THAT(refusal(conv + ",out=bf16"), HasSubstr(" NHWC out bf16: implicit_gemm_tma: "));
  EXPECT_THAT(refusal(conv), HasSubstr(" NHWC: implicit_gemm_tma: "));
}

TEST(Run, ATitleNamesWhatDistinguishesRunsOfEqualSizes) {
  const auto title = [](const std::string& words) {
    return title_of(workload::parse_workload(words).front());
  };
  EXPECT_EQ(title("gemm:64,dtype=int8,out=fp16,act=relu"),
            "gemm 64x64x64 int8->int32 NT out fp16 + relu");
  const std::string conv = "conv:n=1,hw=8,c=64,k=64,rs=3";
  const std::string conv_title = "conv fwd 1x8x8x64 * 64x3x3 stride 1 pad 0 fp16->fp32 NHWC";
  EXPECT_EQ(title(conv + ",post=none"), conv_title);
  EXPECT_EQ(title(conv + ",out=fp32,post=bias+relu"), conv_title + " out fp32 post bias+relu");
  EXPECT_EQ(title(conv + ",post=pool,fused=0"), conv_title + " post pool unfused");
  EXPECT_EQ(title("avg_pool:n=1,hw=8,c=8,rs=3,stride=2"),
            "avg_pool 1x8x8x8 3x3 stride 2 pad 0 fp16");
  EXPECT_EQ(title("avg_pool:n=1,hw=8,c=8,rs=3,stride=2,pad=1,ceil=1,count_pad=0"),
            "avg_pool 1x8x8x8 3x3 stride 2 pad 1 ceil count_pad 0 fp16");
}

TEST(Run, ANetworkWithoutProductsHasNoRate) {
  const cli::TemporaryHome home;
  std::ofstream("one.yaml") << "name: one\ninput: {tokens: 64, c: 512}\n"
                               "layers:\n  - {name: r, op: relu}\n";
  const NetworkSession session(request_of("{workload: \"net:one.yaml\", machine: lab-tiny}"), {});
  const std::string text = report::network_text(session.run({}));
  EXPECT_THAT(text, HasSubstr("samples/s\n"));
  EXPECT_THAT(text, Not(HasSubstr("FLOPS (")));
  EXPECT_THAT(text, HasSubstr("; 1 kernel in 1 step, 0 of them"));
}

double metric_of(const std::string& request, std::string_view name) {
  return run(request_of(request), {}).metric(name).value();
}

TEST(Run, APipeHoldsAnMmaUntilItTakesTheNext) {
  const std::string slow =
      "{workload: \"gemm:64\", machine: lab-tiny, set: [sm.tensor.fp16_macs=1]}";
  EXPECT_GE(metric_of(slow, "pipe_active"), metric_of(slow, "issue_fraction"));
}

TEST(Run, IsNotFasterThanItsPeak) {
  const std::string words = "machine: h100, set: [gpu.sms=2, \"gpu.sms_per_gpc=[2]\"]}";
  const std::string product = "{workload: \"gemm:m=256,n=256,k=4096\", " + words;
  EXPECT_LE(metric_of(product, "peak_fraction"), metric_of(product, "issue_fraction"));
  const std::string copy =
      "{workload: \"copy:rows=64,cols=1024\", machine: lab-tiny, "
      "set: [l2.bytes_per_cycle_per_slice=4]}";
  EXPECT_LE(metric_of(copy, "l2_fraction"), 1);
}

TEST(Run, KernelsWithoutMmasAreThoseOfCudaCores) {
  const report::RunRecord direct = run(
      request_of("{workload: \"conv:n=1,hw=6,c=8,k=8,rs=3,algo=direct\", machine: lab-tiny}"), {});
  EXPECT_EQ(direct.inputs.unit, "cuda-core");
  EXPECT_EQ(
      direct.inputs.peak_tflops,
      config::peak_rate(config::load_machine("lab-tiny"), "cuda-core", "fp32")->tera_ops_per_s);
  EXPECT_GT(direct.metric("vector_energy_j").value(), 0);
}

TEST(Run, NotesReachWhoeverAsked) {
  Hooks hooks;
  std::string notes;
  hooks.note = [&notes](const std::string& note) { notes += note + "\n"; };
  RunRequest request = request_of("{workload: \"gemm:64\", machine: v100, unit: cuda-core}");
  request.max_cycles = 10;
  (void)run(request, hooks);
  EXPECT_EQ(notes, "note: the CUDA-core kernel computes fp16 operands as fp32 (FFMA)\n");
}

/// The second half of its loop waits for DRAM, so that the time of a gap over both is not known.
TEST(Run, ASampledOneThatIsSimulatedWholeSaysSo) {
  const cli::TemporaryHome home;
  std::ofstream("loop.tct") << "tct 1\nkernel loop\ngrid 8 1 1\nwarps 4\nregisters 64\nshared 0\n"
                               "buffer A input base=0x10000 bytes=67108864\n\n"
                               "program main warps 0-3\n  loop i0 < 600\n"
                               "    LDG.E.128 R8, [R4: A + 16*lane + 2048*warp + 8192*ctaid.x]\n"
                               "    LDG.E.128 R12, [R4: A + 16*lane + 512*warp + 8192*i0 + "
                               "2048*ctaid.x + 1048576] @(0 - i0 < -299)\n"
                               "    HMMA.16816.F32 R16, R8, R12, R16\n  end\n  EXIT\n";
  Hooks hooks;
  std::string told;
  hooks.note = [&told](const std::string& note) { told += note; };
  const report::RunRecord record = run(
      request_of("{workload: \"trace:loop.tct\", machine: lab-tiny, fidelity: sampled}"), hooks);
  EXPECT_EQ(report::fidelity(record.outcome), "cycle");
  ASSERT_EQ(record.inputs.notes.size(), 1U);
  EXPECT_EQ(told, "note: " + record.inputs.notes.front());
  EXPECT_THAT(told,
              HasSubstr("sampled first, which was not sure within the 2 % asked: simulated whole"));
}

TEST(Run, ListsAndNetworksAreNoSingleRuns) {
  EXPECT_THROW(run(request_of("{workload: \"gemm:64\", machine: [v100, a100]}"), {}), RequestError);
  EXPECT_THROW(run(request_of("{workload: \"net:lenet\", machine: v100}"), {}), RequestError);
}

TEST(Run, MistakesAreOfFourKinds) {
  EXPECT_THROW(run(request_of("{workload: \"gemm:64\", machine: v100, tile: huge}"), {}),
               UsageError);
  EXPECT_THROW(
      run(request_of("{workload: \"gemm:64,dtype=int8\", machine: v100, unit: tensor}"), {}),
      NotCovered);
  EXPECT_THROW(run(request_of("{workload: \"gemm:64\", machine: ./none.yaml}"), {}), IoError);
}

TEST(Run, ANetworkTellsOfEachStep) {
  const NetworkSession session(request_of("{workload: \"net:mnist_mlp\", machine: v100}"), {});
  std::size_t last = 0;
  const report::NetworkRun result =
      session.run([&](std::size_t number, std::size_t count, const report::NetworkStep& step) {
        EXPECT_EQ(number, ++last);
        EXPECT_LE(number, count);
        EXPECT_FALSE(step.title.empty());
      });
  EXPECT_EQ(last, result.steps.size());
  EXPECT_TRUE(result.is_complete);
}

}  // namespace
}  // namespace tcsim::run
