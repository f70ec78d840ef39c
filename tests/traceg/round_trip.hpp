#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sim/gpu/simulation.hpp"
#include "tests/support/counters.hpp"
#include "tests/support/memory_file.hpp"
#include "tests/traceg/steps.hpp"
#include "workloads/traceg/trace_writer.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::traceg::testing {

class TextSink : public ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override {}
  std::string text;
};

inline std::string text_of(const isa::KernelLaunch& launch,
                           AddressMode mode = AddressMode::kShortest, int sm_version = 80) {
  TextSink sink;
  write_recording(launch, {.sm_version = sm_version, .kernel_id = 1, .mode = mode}, sink);
  return sink.text;
}

inline isa::KernelLaunch read_back(const std::string& text) {
  RecordedStream stream = read_recording(
      test::open_bytes(text, "round.traceg", files::FileKind::kRecording), "round.traceg");
  EXPECT_EQ(stream.not_covered, "");
  EXPECT_TRUE(stream.notes.empty());
  return stream.launches.at(0);
}

inline void expect_equal_steps(const isa::KernelLaunch& launch, const isa::KernelLaunch& recorded) {
  for (std::int64_t cta = 0; cta < launch.cta_count(); ++cta) {
    const std::array<std::int64_t, 3> at = isa::cta_at(launch, cta);
    for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
      const std::vector<Step> walked = walked_steps(launch, at, warp);
      const std::vector<Step> read = recorded_steps(recorded, at, warp);
      ASSERT_EQ(walked.size(), read.size()) << "CTA " << cta << " warp " << warp;
      for (std::size_t i = 0; i < walked.size(); ++i)
        ASSERT_EQ(walked[i], read[i]) << "step " << i << ", CTA " << cta << " warp " << warp;
    }
  }
}

struct Outcome {
  Cycle cycles;
  test::CounterValues counters;
};

inline Outcome simulate(const config::Machine& machine,
                        const std::vector<isa::KernelLaunch>& stream, Cycle quantum = 0) {
  gpu::Simulation simulation(machine, {.quantum = quantum});
  const gpu::Outcome outcome = simulation.run(stream, {});
  EXPECT_EQ(outcome.stop, gpu::StopReason::kFinished) << outcome.diagnosis;
  return {outcome.cycles, test::counter_values(simulation.counters())};
}

}  // namespace tcsim::traceg::testing
