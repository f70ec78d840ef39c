#include "sim/timeline/perfetto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sim/files/packed.hpp"
#include "sim/files/read_file.hpp"
#include "tests/support/memory_file.hpp"
#include "tests/timeline/recorded_programs.hpp"
#include "tests/timeline/trace_event_checker.hpp"

namespace tcsim::timeline::test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(Perfetto, FollowsTheRulesOfItsFormat) {
  EXPECT_EQ(trace_event_mistake(perfetto_json(recorded(hmma_loop(8, 20), 0, 1000))), "");
  EXPECT_EQ(trace_event_mistake(perfetto_json(recorded(hmma_loop(8, 20), 100, 164, 1))), "");
  EXPECT_EQ(trace_event_mistake(perfetto_json(recorded(load_multiply_store(), 0, 1000))), "");
  EXPECT_EQ(trace_event_mistake(perfetto_json(recorded(group_products(8, 3, 8), 0, 1000))), "");
  EXPECT_EQ(trace_event_mistake(perfetto_json(stopped(group_products(8, 3, 8), 20, 1000))), "");
  EXPECT_EQ(trace_event_mistake(perfetto_json(stopped(dependent_hmmas(20), 110, 1000))), "");
}

TEST(Perfetto, OneCycleIsOneNanosecond) {
  const Timeline timeline = recorded(load_multiply_store(), 0, 1000);
  const Json json = Json::parse(perfetto_json(timeline));
  const InstructionRecord& last = timeline.records.back();
  bool found = false;
  for (const Json& event : json["traceEvents"])
    found = found || (event["ph"] == "X" && event["name"] == last.text &&
                      event["ts"] == static_cast<double>(last.issue) / 1000);
  EXPECT_TRUE(found);
}

TEST(Perfetto, CountsTheMmasUnderWay) {
  const Json json = Json::parse(perfetto_json(recorded(hmma_loop(8, 20), 100, 164, 0)));
  int most = 0;
  for (const Json& event : json["traceEvents"])
    if (event["name"] == "MMAs in flight") most = std::max(most, event["args"]["MMA"].get<int>());
  EXPECT_EQ(most, 4);  // a latency of 25 cycles holds four starts 8 cycles apart
}

/// The cycles of `sub_core` that a slice of its tensor core covers.
std::set<std::int64_t> cycles_of_tensor_core(const Json& json, int sub_core) {
  std::set<std::int64_t> cycles;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "tensor core" || event["pid"] != sub_core) continue;
    const std::int64_t from = std::llround(event["ts"].get<double>() * 1000);
    const std::int64_t length = std::llround(event["dur"].get<double>() * 1000);
    for (std::int64_t i = 0; i < length; ++i) cycles.insert(from + i);
  }
  return cycles;
}

TEST(Perfetto, TheTensorCoreHoldsMmasForAsManyCyclesAsItsCounterSays) {
  for (const isa::KernelLaunch& launch : {hmma_loop(8, 20), group_products(8, 3, 8)}) {
    const Json json = Json::parse(perfetto_json(recorded(launch, 0, 10'000)));
    for (int sub_core = 0; sub_core < 4; ++sub_core) {
      const std::uint64_t busy = tensor_busy_cycles(launch, sub_core);
      EXPECT_GT(busy, 0U);
      EXPECT_EQ(cycles_of_tensor_core(json, sub_core).size(), busy);
    }
  }
}

TEST(Perfetto, TakesNoRoomForCyclesBehindTheRun) {
  const std::string whole = perfetto_json(recorded(hmma_loop(8, 20), 0, 1000));
  EXPECT_EQ(perfetto_json(recorded(hmma_loop(8, 20), 0, 1'000'000'000)), whole);
}

TEST(Perfetto, EstimatesItsSize) {
  const Timeline timeline = recorded(hmma_loop(8, 20), 0, 1000);
  const auto bytes = static_cast<double>(perfetto_json(timeline).size());
  EXPECT_NEAR(static_cast<double>(perfetto_bytes(timeline)) / bytes, 1.0, 0.5);
}

std::string unpacked(const std::string& packed) {
  const auto source = tcsim::test::open_bytes(packed, "packed.gz", files::FileKind::kRecording);
  return files::read_source(*source, "packed.gz", files::FileKind::kRecording);
}

TEST(Packed, KeepsTextsOfManyPieces) {
  std::string text;
  for (std::uint64_t state = 1; text.size() < (std::size_t{3} << 20);
       state = state * 6364136223846793005U + 1442695040888963407U)
    text += std::to_string(state >> 33);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20, text.size()})
    EXPECT_EQ(unpacked(files::gzip_packed(text.substr(0, size))), text.substr(0, size)) << size;
}

TEST(TraceEventChecker, RefusesBrokenFiles) {
  const auto with = [](const std::string& events) {
    return R"({"traceEvents":[{"ph":"M","name":"process_name","pid":0},)"
           R"({"ph":"M","name":"thread_name","pid":0,"tid":1},)" +
           events + "]}";
  };
  const std::string slice = R"({"ph":"X","name":"a","pid":0,"tid":1,"ts":0,"dur":0.005})";
  EXPECT_EQ(trace_event_mistake(with(slice)), "");
  EXPECT_THAT(trace_event_mistake("[]"), HasSubstr("traceEvents"));
  EXPECT_THAT(trace_event_mistake(
                  with(slice + R"(,{"ph":"X","name":"b","pid":0,"tid":1,"ts":0.003,"dur":0.005})")),
              HasSubstr("nest"));
  EXPECT_THAT(trace_event_mistake(with(R"({"ph":"X","name":"a","pid":0,"tid":2,"ts":0,"dur":1})")),
              HasSubstr("without a name"));
  EXPECT_THAT(
      trace_event_mistake(with(R"({"ph":"X","name":"a","pid":0,"tid":1,"ts":"0","dur":1})")),
      HasSubstr("no number"));
  EXPECT_THAT(trace_event_mistake(with(R"({"ph":"C","name":"a","pid":0,"ts":0,"args":{}})")),
              HasSubstr("without values"));
  EXPECT_THAT(trace_event_mistake(with(R"({"ph":"Q","name":"a","pid":0})")), HasSubstr("phase"));
}

}  // namespace
}  // namespace tcsim::timeline::test
