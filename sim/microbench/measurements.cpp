#include "sim/microbench/measurements.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/microbench/buffer_stream.hpp"
#include "workloads/microbench/constant_chase.hpp"
#include "workloads/microbench/launch_shape.hpp"
#include "workloads/microbench/operation_loop.hpp"
#include "workloads/microbench/pointer_chase.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;

// Loop bodies of the two kernels whose difference is the measurement of an operation.
constexpr std::int64_t kShortBodies = 4;
constexpr std::int64_t kLongBodies = 12;
// Loads by an SM of each GPC, or of constants: enough that all slices, whose distances differ, are
// met alike, and that first reads of constants, near ones in one launch and far ones in another, do
// not matter.
constexpr std::int64_t kChaseSamples = 4096;
// Rounds of a CTA on its own buffer: enough that its slowest warp does not matter.
constexpr std::int64_t kPrivateRounds = 48;
constexpr std::int64_t kSharedRounds = 16;
// Waves of CTAs of the two kernels whose difference is the measurement of a stream.
constexpr std::int64_t kShortWaves = 10;
constexpr std::int64_t kMoreWaves = 40;
// If SMs write faster than DRAM, dirty lines first accumulate; a kernel that writes therefore fills
// the L2 at least this often.
constexpr std::int64_t kFillings = 4;

Measurement measure_small_chase(const Bench& bench, const PointerChase& chase) {
  Measurement measurement;
  measurement.launches.push_back(chase.touch_all({}, bench.timing));
  for (const int passes : {1, 1, 2})  // the first fetches the code
    measurement.launches.push_back(chase.walk({.count = passes * chase.lines()}, bench.timing));
  measurement.figure = [lines = chase.lines()](const std::vector<Cycle>& cycles) {
    return static_cast<double>(cycles[3] - cycles[2]) / static_cast<double>(lines);
  };
  return measurement;
}

}  // namespace

std::int64_t macs_of(const std::vector<Opcode>& steps) {
  std::int64_t macs = 0;
  for (const Opcode step : steps) macs += isa::warp_macs(step);
  return macs;
}

Measurement measure_operation(const Bench& bench) {
  OperationLoop loop;
  loop.steps = operation_steps(bench.test.program);
  loop.chains = static_cast<int>(bench.test.value("ilp", 1));
  loop.warps = static_cast<int>(bench.test.value("warps", 1));
  loop.stride = static_cast<int>(bench.test.value("stride", 1));
  loop.is_rolled = bench.test.value("rolled", 0) == 1;
  const std::int64_t ctas_per_sm = bench.test.value("ctas", 0);
  const bool whole_chip = bench.unit == "TFLOPS" || ctas_per_sm > 0;
  const std::int64_t per_sm = std::max<std::int64_t>(1, ctas_per_sm);
  loop.ctas = whole_chip ? per_sm * bench.machine.gpu.sms : 1;
  const std::int64_t body = groups_per_body(loop);
  Measurement measurement;
  measurement.ctas_per_sm = per_sm;
  for (const std::int64_t bodies :
       {kShortBodies, kShortBodies, kLongBodies}) {  // the first warms up
    loop.groups = bodies * body;
    measurement.launches.push_back(operation_loop(loop, bench.timing));
  }
  const auto groups = static_cast<double>((kLongBodies - kShortBodies) * body);
  const auto operations =
      static_cast<double>(per_sm * loop.warps * loop.chains);  // per group and SM
  const double macs = operations * static_cast<double>(macs_of(loop.steps));
  double scale = 1;      // factor of the time of one group
  bool is_rate = false;  // the figure is scale / time
  if (bench.unit == "cycles/instruction") {
    scale = 1.0 / loop.chains;
  } else if (bench.unit == "cycles/warp access") {
    scale = 1.0 / operations;
  } else if (bench.unit == "MAC/cycle/SM") {
    scale = macs;
    is_rate = true;
  } else if (bench.unit == "TFLOPS") {
    scale = 2 * macs * bench.machine.gpu.sms * bench.gigahertz() / 1000;
    is_rate = true;
  }
  measurement.figure = [=](const std::vector<Cycle>& cycles) {
    const double group = static_cast<double>(cycles[2] - cycles[1]) / groups;
    return is_rate ? scale / group : scale * group;
  };
  return measurement;
}

Measurement measure_chase(const Bench& bench) {
  const int line = bench.machine.l2.line_bytes;
  const PointerChase chase(bench.test.value("bytes", 0), line);
  // The list is touched once, in its order. A kernel starts with an empty L1. If the L1 could hold
  // some of the list, the second of two passes counts, otherwise parts of the next pass.
  // A walk across reads each line once.
  const bool across = bench.test.value("across", 0) == 1;
  if (!across && chase.lines() * line <= 2 * std::int64_t{bench.machine.sm.l1.bytes})
    return measure_small_chase(bench, chase);
  PointerChase::Part part;
  part.ctas = bench.machine.gpu.sms / bench.machine.gpu.sms_per_tpc;
  part.shared_bytes = bench.machine.sm.shared_memory.max_bytes_per_cta;
  Measurement measurement;
  std::vector<std::size_t> starts;  // the kernel with one load precedes the kernel with many
  int touched = -1;
  const auto gpcs = static_cast<int>(bench.machine.gpu.sms_per_gpc.size());
  // A line that was walked across has a copy in the near partition from then on.
  const std::int64_t samples =
      std::clamp<std::int64_t>(chase.lines() / (across ? gpcs : 1), 1, kChaseSamples);
  for (int gpc = 0; gpc < gpcs; ++gpc) {  // the first CTAs start on different GPCs
    const int partition = gpc * bench.machine.l2.partitions / gpcs;
    if (across && touched == 0 && partition == 0) continue;
    part.cta = gpc;
    if (across ? touched < 0 : std::exchange(touched, partition) != partition) {
      touched = partition;
      measurement.launches.push_back(chase.touch_all(part, bench.timing));
      part.first = 0;
      if (across) continue;
    }
    starts.push_back(measurement.launches.size());
    for (const std::int64_t count : {std::int64_t{1}, samples}) {
      part.count = count;
      measurement.launches.push_back(chase.walk(part, bench.timing));
      part.first += count;
    }
  }
  measurement.figure = [starts, samples](const std::vector<Cycle>& cycles) {
    Cycle sum = 0;
    for (const std::size_t start : starts) sum += cycles[start + 1] - cycles[start];
    return static_cast<double>(sum) /
           static_cast<double>(static_cast<std::int64_t>(starts.size()) * (samples - 1));
  };
  return measurement;
}

Measurement measure_constants(const Bench& bench) {
  const int line = bench.machine.sm.constant_cache.line_bytes;
  const std::int64_t bytes = bench.test.value("bytes", 0) / line * line;
  const std::int64_t pass = bytes / line;
  const std::int64_t loads = ceil_div<std::int64_t>(kChaseSamples, pass) * pass;
  Measurement measurement;
  // Every launch has its own constants: its first pass loads them into the SM.
  for (const std::int64_t count : {pass, pass, pass + loads})
    measurement.launches.push_back(constant_chase(bytes, line, count, bench.timing));
  measurement.figure = [loads](const std::vector<Cycle>& cycles) {
    return static_cast<double>(cycles[2] - cycles[1]) / static_cast<double>(loads);
  };
  return measurement;
}

Measurement measure_read(const Bench& bench) {
  RepeatedRead read;
  read.bytes = bench.test.value("bytes", 0);
  read.is_private = bench.test.value("private", 0) != 0;
  const std::int64_t sms = bench.machine.gpu.sms;
  Measurement measurement;
  double bytes = 0;
  if (read.is_private) {
    read.ctas = sms;
    read.loads = 4;
    const std::int64_t pass = std::max<std::int64_t>(1, read.bytes / bytes_per_round(read));
    const std::int64_t several = ceil_div(kPrivateRounds, pass);
    for (const std::int64_t passes : {1, 1, 3}) {  // the first fills the L2
      read.rounds = passes * several * pass;
      measurement.launches.push_back(repeated_read(read, bench.timing));
    }
    bytes = static_cast<double>(2 * several * pass * bytes_per_round(read) * sms);
  } else {
    read.rounds = kSharedRounds;
    const std::int64_t wave = sms * 2;
    for (const std::int64_t waves : {1, 1, 3}) {  // the first fills the L2
      read.ctas = waves * wave;
      measurement.launches.push_back(repeated_read(read, bench.timing));
    }
    bytes = static_cast<double>(2 * wave * read.rounds * bytes_per_round(read));
  }
  const bool per_cycle = bench.unit == "B/cycle/SM";
  const double scale = per_cycle ? 1.0 / static_cast<double>(sms) : bench.gigahertz();
  measurement.figure = [bytes, scale](const std::vector<Cycle>& cycles) {
    return scale * bytes /
           static_cast<double>(cycles[cycles.size() - 1] - cycles[cycles.size() - 2]);
  };
  return measurement;
}

/// The whole kernel, including launch. The first of the two launches loads the code and reads other
/// bytes.
Measurement measure_cold_read(const Bench& bench) {
  RepeatedRead read{.is_private = true};
  read.ctas = bench.test.value("ctas", 1);
  read.warps = static_cast<int>(bench.test.value("warps", 8));
  read.loads = static_cast<int>(bench.test.value("loads", 8));
  const std::int64_t piece = bytes_per_round(read);
  read.rounds = std::max<std::int64_t>(1, bench.test.value("bytes", 0) / read.ctas / piece);
  read.bytes = read.rounds * piece;
  Measurement measurement;
  for (int i = 0; i < 2; ++i) {
    measurement.launches.push_back(repeated_read(read, bench.timing));
    read.base += static_cast<std::uint64_t>(read.ctas * read.bytes);
  }
  measurement.figure = [mhz = bench.machine.clocks.sm_mhz](const std::vector<Cycle>& cycles) {
    return static_cast<double>(cycles[1]) / mhz;
  };
  return measurement;
}

Measurement measure_stream(const Bench& bench) {
  ElementStream stream;
  stream.reads = static_cast<int>(bench.test.value("reads", 1));
  stream.writes = static_cast<int>(bench.test.value("writes", 0));
  stream.warps = static_cast<int>(bench.test.value("warps", 32));
  const auto per_sm = static_cast<int>(bench.test.value("ctas", 2));
  const sm::SharedMemoryParams& shared = bench.machine.sm.shared_memory;
  stream.shared_bytes =
      std::min(shared.max_bytes_per_cta, shared.max_bytes / per_sm - shared.reserved_bytes_per_cta);
  const std::int64_t wave = std::int64_t{bench.machine.gpu.sms} * per_sm;
  Measurement measurement;
  measurement.ctas_per_sm = bench.test.value("ctas", 1);
  const auto add = [&](std::int64_t ctas) {
    stream.ctas = ctas;
    measurement.launches.push_back(element_stream(stream, bench.timing));
    stream.base += static_cast<std::uint64_t>((stream.reads + stream.writes) * array_bytes(stream));
  };
  stream.ctas = wave;
  const std::int64_t filling_waves =
      stream.writes > 0 ? ceil_div<std::int64_t>(kFillings * bench.machine.l2.bytes,
                                                 stream.writes * array_bytes(stream))
                        : 0;
  const std::int64_t short_waves = std::max(kShortWaves, filling_waves);
  // The first launch fetches the code and leaves as many dirty lines as the other two do.
  add(stream.writes > 0 ? short_waves * wave : wave);
  add(short_waves * wave);
  add((short_waves + kMoreWaves) * wave);
  stream.ctas = kMoreWaves * wave;
  const auto bytes = static_cast<double>((stream.reads + stream.writes) * array_bytes(stream));
  measurement.figure = [bytes, gigahertz = bench.gigahertz()](const std::vector<Cycle>& cycles) {
    const Cycle difference = cycles[cycles.size() - 1] - cycles[cycles.size() - 2];
    return gigahertz * bytes / static_cast<double>(difference);
  };
  return measurement;
}

Measurement measure_null(const Bench& bench) {
  isa::WarpProgram program;
  program.name = "null";
  program.instructions.push_back({.opcode = Opcode::kExit});
  Measurement measurement;
  // The second launch counts, as in a loop of launches, where the code is already loaded.
  measurement.launches.assign(
      2, one_program_launch(program, bench.timing, bench.test.value("ctas", 1), 1));
  measurement.figure = [mhz = bench.machine.clocks.sm_mhz](const std::vector<Cycle>& cycles) {
    return static_cast<double>(cycles.back()) / mhz;
  };
  return measurement;
}

}  // namespace tcsim::microbench
