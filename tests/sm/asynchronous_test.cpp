#include <gmock/gmock.h>

#include "models/isa/group_mma.hpp"
#include "models/sm/group_tensor.hpp"
#include "models/sm/load_store/data_path.hpp"
#include "models/sm/mbarriers.hpp"
#include "models/sm/tensor_unit.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

using isa::BarrierOperand;
using isa::Instruction;

constexpr int kExtra = 1;
constexpr int kResult = 40;
constexpr int kArrive = 29;
constexpr int kWake = 12;
constexpr int kStart = 100;

SmParams asynchronous_sm() {
  SmParams params = ampere_sm();
  params.group_tensor = {.shared_operations = 2,
                         .register_operations = 2,
                         .register_least_cycles = 12,
                         .extra_cycles = kExtra,
                         .load_interval_cycles = 11,
                         .alu_slowdown_percent = 0,
                         .sfu_slowdown_percent = 0,
                         .result_cycles = kResult};
  params.mbarrier = {.interval_cycles = 2,
                     .arrive_cycles = kArrive,
                     .wait_cycles = 36,
                     .wake_cycles = kWake,
                     .fence_cycles = 32};
  params.tile_copy = {
      .bytes_in_flight = 1024, .issue_cycles = 32, .start_cycles = kStart, .request_cycles = 1};
  return params;
}

/// A launch of one CTA whose warps all run the program.
class Program {
 public:
  Program& op(Opcode opcode, int immediate = 0, std::uint8_t stall = 1) {
    Instruction instruction{.opcode = opcode, .immediate = immediate};
    instruction.control.stall = stall;
    program_.instructions.push_back(instruction);
    return *this;
  }
  Program& op(Opcode opcode, isa::AsyncOperands operands, int immediate = 0) {
    op(opcode, immediate);
    program_.instructions.back().access = static_cast<int>(program_.async.size());
    program_.async.push_back(std::move(operands));
    return *this;
  }
  /// Only where `expression` is less than `limit` is executed what was added last.
  Program& where(const isa::Expression& expression, std::int64_t limit) {
    program_.instructions.back().guard = static_cast<int>(program_.guards.size());
    program_.guards.push_back({{{expression, limit}}});
    return *this;
  }
  /// Only warps below `limit` execute what was added last.
  Program& below(int limit) { return where({0, {{isa::Variable::kWarp, 1}}}, limit); }
  /// Only warps 4 to 7 of eight.
  Program& by_second_group() {
    if (second_group_ < 0) {
      second_group_ = static_cast<int>(program_.guards.size());
      program_.guards.push_back({{{{7, {{isa::Variable::kWarp, -1}}}, 4}}});
    }
    program_.instructions.back().guard = static_cast<std::int16_t>(second_group_);
    return *this;
  }
  isa::KernelLaunch launch(int warps) const {
    isa::KernelLaunch launch;
    launch.warps_per_cta = warps;
    launch.registers_per_thread = 168;
    launch.shared_bytes_per_cta = 32 * 1024;
    launch.programs = {program_};
    launch.programs[0].instructions.push_back({.opcode = Opcode::kExit});
    launch.program_of_warp.assign(static_cast<std::size_t>(warps), 0);
    launch.buffers = {{"A", 0, 1 << 20}};
    launch.tensor_maps = {
        {.name = "A", .element_bytes = 2, .extents = {64, 64}, .strides = {128}, .box = {64, 32}}};
    return launch;
  }

 private:
  isa::WarpProgram program_;
  int second_group_ = -1;
};

Opcode product() { return *isa::parse_opcode("HGMMA.64x64x16.F32"); }

/// Products of one warpgroup in one group, with a wait for it.
isa::KernelLaunch products(int count, int late_warp_cycles = 0, Opcode opcode = product()) {
  Program program;
  if (late_warp_cycles > 0)
    program.op(Opcode::kNop, 0, static_cast<std::uint8_t>(late_warp_cycles)).below(1);
  for (int i = 0; i < count; ++i)
    program.op(opcode, isa::MatrixOperands{}, i + 1 == count ? isa::kClosesGroup : 0);
  return program.op(Opcode::kWarpgroupDepbar, 0).launch(4);
}

TEST(GroupTensor, TakesOneProductBehindTheOtherAndSoManyAtOnce) {
  GroupTensor tensor(asynchronous_sm().group_tensor);
  const GroupTensor::Turn first = tensor.join(33, tensor.room_at(false, 10), 10);
  EXPECT_EQ(first.start, 10);
  EXPECT_EQ(first.end, 43);
  EXPECT_EQ(first.written, 43 + kResult);
  EXPECT_EQ(tensor.room_at(false, 11), 11) << "two may be there";
  EXPECT_EQ(tensor.free_at(), 43);
  EXPECT_EQ(tensor.join(33, 11, tensor.free_at()).end, 43 + 33);
  EXPECT_EQ(tensor.room_at(false, 12), 43) << "the first must have ended";
}

TEST(Products, OfAGroupFollowEachOtherAtTheirInterval) {
  // Products of 64 x 64 x 16 on 4 x 256 multiply-adds per cycle.
  const int interval = 64 * 64 * 16 / 1024 + kExtra;
  const Cycle one = end_of(products(1), asynchronous_sm());
  EXPECT_EQ(end_of(products(2), asynchronous_sm()) - one, interval);
  EXPECT_EQ(end_of(products(5), asynchronous_sm()) - one, 4 * interval);
  SmParams longer = asynchronous_sm();
  longer.group_tensor.result_cycles += 7;
  EXPECT_EQ(end_of(products(5), longer) - one, 4 * interval + 7);
}

TEST(Products, WithASparseATakeAsLongAsTheirOperands) {
  SmParams params = asynchronous_sm();
  params.tensor.fp16_macs = 512;  // H100's
  const auto interval = [&params](const char* name) {
    const Opcode opcode = *isa::parse_opcode(name);
    return end_of(products(2, 0, opcode), params) - end_of(products(1, 0, opcode), params);
  };
  // LUO24, H800: 144 and 128 cycles.
  EXPECT_EQ(interval("HGMMA.SP.64x256x32.F32"), (2048 + 64 * 256) / 128 + kExtra);
  EXPECT_EQ(interval("HGMMA.SP.64x256x32.F32.RS"), 256 / 2 + kExtra);
  params.tensor.sparse_speedup = 1;
  EXPECT_FALSE(
      timing_table(params)[static_cast<std::size_t>(*isa::parse_opcode("HGMMA.SP.64x256x32.F32"))]
          .supported());
}

TEST(Products, BeginWhenTheLastWarpOfTheirWarpgroupComes) {
  const Cycle together = end_of(products(1), asynchronous_sm());
  // The late warp spends one cycle on its NOP in any case, as the others do.
  EXPECT_EQ(end_of(products(1, 9), asynchronous_sm()) - end_of(products(1, 1), asynchronous_sm()),
            8);
  EXPECT_EQ(end_of(products(1, 1), asynchronous_sm()) - together, 1);
}

/// One warpgroup multiplies, the warps of another issue `count` operations meanwhile.
isa::KernelLaunch products_beside(Opcode opcode, int count) {
  Program program;
  for (int i = 0; i < 8; ++i)
    program.op(product(), isa::MatrixOperands{}, i == 7 ? isa::kClosesGroup : 0).below(4);
  for (int i = 0; i < count; ++i) program.op(opcode).by_second_group();
  return program.op(Opcode::kWarpgroupDepbar, 0).launch(8);
}

TEST(Products, SlowDownArithmeticOnTheSameSubCores) {
  // Eight products take 520 cycles, and 500 operations longer than that at either rate.
  const auto added = [](Opcode opcode, int alu, int sfu) {
    SmParams params = asynchronous_sm();
    const isa::KernelLaunch launch = products_beside(opcode, 500);
    const Cycle plain = end_of(launch, params);
    params.group_tensor.alu_slowdown_percent = alu;
    params.group_tensor.sfu_slowdown_percent = sfu;
    return end_of(launch, params) - plain;
  };
  const int busy = 8 * (64 * 64 * 16 / 1024 + kExtra);
  EXPECT_EQ(added(Opcode::kMufuEx2, 100, 0), 0);
  EXPECT_EQ(added(Opcode::kIadd3, 0, 100), 0);
  // At half the rate for the time of the products, half of it is lost; at 3/4, a quarter.
  EXPECT_NEAR(static_cast<double>(added(Opcode::kIadd3, 100, 0)), busy / 2.0, 4);
  EXPECT_NEAR(static_cast<double>(added(Opcode::kMufuEx2, 0, 33)), busy * 33.0 / 133, 12);
}

TEST(Products, AndMmasOfWarpsTakeTurnsOnTheTensorCores) {
  constexpr Cycle kLastMma = 64;  // still under way when its warp has ended
  SmBench bench(products_beside(Opcode::kHmma16816F32, 100), asynchronous_sm());
  bench.start_cta(0);
  const auto end = static_cast<std::uint64_t>(bench.finish() + kLastMma);
  const std::uint64_t slots = bench.counter("sub_core[0].tensor_issue_slots_used");
  EXPECT_GE(slots, 8U * (64 * 64 * 16 / 1024 + kExtra) + 100U * 8);
  EXPECT_LE(slots, end);
  EXPECT_LE(bench.counter("sub_core[0].tensor_busy_cycles"), end);
}

TEST(Products, AreNotWaitedForByWhatNoLaneExecutes) {
  Program program;
  program.op(product(), isa::MatrixOperands{}, isa::kClosesGroup);
  SmBench bench(program.op(Opcode::kWarpgroupDepbar, 0).below(0).launch(4), asynchronous_sm());
  bench.start_cta(0);
  bench.finish();
  EXPECT_LT(bench.reason("tensor_pipe_busy"), static_cast<std::uint64_t>(kResult));
}

TEST(DataPath, LetsOperandsGoFirstAndLoadsOneWavefrontInSoMany) {
  stats::Group group("path");
  stats::Counter busy(group, "busy", "cycle", "Busy.");
  DataPath path(128, 11, busy);
  path.move(128, 100);
  EXPECT_EQ(path.turn_at(), 101) << "nothing else is there";
  path.move_asynchronous(128 * 50, 101);
  EXPECT_EQ(path.turn_at(), 111) << "operands fill the path";
  path.move(128, 111);
  EXPECT_EQ(path.turn_at(), 122);
  path.move(128, 122);
  EXPECT_EQ(path.free_at(), 153);
  EXPECT_EQ(path.turn_at(), 133);
  EXPECT_EQ(busy.value(), 53U);
}

TEST(Products, CountOnEverySubCore) {
  SmBench bench(products(3), asynchronous_sm());
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.counter("sub_core[2].mma_instructions"), 3U);
  EXPECT_EQ(bench.counter("sub_core[2].tensor_macs"), 3U * 16 * 64 * 16);
}

TEST(Products, FollowEachOtherOnTheSubCoresThatWarpsShare) {
  constexpr int kCount = 9;
  constexpr int kMacs = 64 * 64 * 16;
  constexpr int kRate = 256;  // of a sub-core
  for (const int sub_cores : {1, 2, 4, 8}) {
    SCOPED_TRACE(sub_cores);
    SmParams params = asynchronous_sm();
    params.sub_cores = sub_cores;
    SmBench bench(products(kCount), params);
    bench.start_cta(0);
    const Cycle end = bench.finish();
    EXPECT_EQ(end - end_of(products(1), params),
              (kCount - 1) * (kMacs / (kRate * std::min(sub_cores, 4)) + kExtra));
    std::uint64_t macs = 0;
    for (int i = 0; i < sub_cores; ++i) {
      const std::string sub_core = "sub_core[" + std::to_string(i) + "].";
      EXPECT_LE(bench.counter(sub_core + "tensor_issue_slots_used"),
                static_cast<std::uint64_t>(end));
      EXPECT_LE(bench.counter(sub_core + "tensor_busy_cycles"), static_cast<std::uint64_t>(end));
      macs += bench.counter(sub_core + "tensor_macs");
    }
    EXPECT_EQ(macs, static_cast<std::uint64_t>(kCount) * kMacs);
  }
}

/// Executes one part after the other, each in the same time.
class SteadyUnit : public TensorUnit {
 public:
  static constexpr Cycle kPart = 100;

  void begin_kernel() override {}
  Cycle issue(Cycle now, const isa::Bindings& /*bindings*/, Opcode /*opcode*/) override {
    EXPECT_GE(now, free_);
    return free_ = now + kPart;
  }

 private:
  Cycle free_ = 0;
};

TEST(Products, GoPartByPartThroughTheUnitOfTheirSubCore) {
  for (const int sub_cores : {1, 2, 4}) {
    SCOPED_TRACE(sub_cores);
    SmParams params = asynchronous_sm();
    params.sub_cores = sub_cores;
    const auto end = [&params](int count) {
      std::vector<SteadyUnit> units(static_cast<std::size_t>(params.sub_cores));
      SmBench bench(products(count), params);
      for (int i = 0; i < params.sub_cores; ++i)
        bench.sm().attach(i, units[static_cast<std::size_t>(i)]);
      bench.start_cta(0);
      return bench.finish();
    };
    EXPECT_EQ(end(3) - end(1), 2 * (4 / sub_cores * SteadyUnit::kPart + kExtra));
  }
}

TEST(Mbarriers, CompleteAPhaseWithItsLastArrivalAndByte) {
  Mbarriers barriers;
  barriers.init(64, 2);
  const int barrier = barriers.find(64);
  EXPECT_EQ(barriers.find(72), isa::kNoIndex);
  std::vector<int> woken;
  const auto wake = [&woken](std::uint8_t warp) { woken.push_back(warp); };
  barriers.sleep(barrier, 5);
  barriers.change(barrier, 1, 100, wake);
  barriers.change(barrier, 1, 0, wake);
  EXPECT_FALSE(barriers[barrier].has_passed(0)) << "bytes are missing";
  EXPECT_TRUE(barriers[barrier].has_passed(1)) << "the phase before";
  barriers.change(barrier, 0, -100, wake);
  EXPECT_TRUE(barriers[barrier].has_passed(0));
  EXPECT_THAT(woken, ::testing::ElementsAre(5));
}

TEST(PhaseWait, SleepsWithoutIssuingUntilTheArrivalIsSeen) {
  const auto launch = [](int late) {
    Program program;
    program.op(Opcode::kSyncsExch, BarrierOperand{{0}, {1}}).below(1);
    program.op(Opcode::kBarSync);
    if (late > 0) program.op(Opcode::kNop, 0, static_cast<std::uint8_t>(late)).below(1);
    program.op(Opcode::kSyncsArrive, BarrierOperand{}).below(1);
    return program.op(Opcode::kSyncsTryWait, BarrierOperand{}).launch(2);
  };
  SmBench bench(launch(1), asynchronous_sm());
  bench.start_cta(0);
  const Cycle early = bench.finish();
  EXPECT_EQ(bench.counter("sub_core[1].warp_instructions"), 6U) << "one wait, however long";
  EXPECT_EQ(end_of(launch(11), asynchronous_sm()) - early, 10);
  SmParams slower = asynchronous_sm();
  slower.mbarrier.arrive_cycles += 5;
  slower.mbarrier.wake_cycles += 3;
  EXPECT_EQ(end_of(launch(1), slower) - early, 8);
}

TEST(Arrivals, OfACtaThatHasEndedReachNoOther) {
  constexpr int kArrivals = 100;  // the unit still works on them when the next CTA has the slot
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{0}, {kArrivals}});
  for (int i = 0; i < kArrivals; ++i)
    program.op(Opcode::kSyncsArrive, BarrierOperand{}).where({0, {{isa::Variable::kCtaX, 1}}}, 1);
  program.op(Opcode::kSyncsTryWait, BarrierOperand{}).where({0, {{isa::Variable::kCtaX, -1}}}, 0);
  SmBench bench(program.launch(1), asynchronous_sm());
  bench.start_cta(0);
  while (bench.sm().free_cta_slots() == 0) bench.advance(1);
  bench.start_cta(1, bench.now());
  bench.advance(1000);
  const std::vector<WarpWait> waits = bench.sm().waits();
  ASSERT_EQ(waits.size(), 1U);
  ASSERT_EQ(waits[0].kind, WaitKind::kPhase);
  EXPECT_EQ(waits[0].mbarrier->pending, kArrivals);
}

isa::KernelLaunch box_copy(int bytes) {
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{0}, {1}});
  program.op(Opcode::kSyncsArriveBytes, BarrierOperand{{0}, {bytes}});
  program.op(Opcode::kUtmaldg2d,
             isa::TileOperand{.coordinates = {{0}, {0}}, .shared = {1024}, .barrier = {0}});
  return program.op(Opcode::kSyncsTryWait, BarrierOperand{}).launch(1);
}

TEST(BoxCopy, AsksForItsLinesOneAfterTheOtherAndKeepsSoManyBytesUnderWay) {
  constexpr int kLines = 32;
  constexpr int kAtOnce = 8;  // 1024 bytes in flight
  SmBench bench(box_copy(kLines * 128), asynchronous_sm());
  bench.start_cta(0);
  ASSERT_GE(bench.finish(), 0);
  ASSERT_EQ(bench.requests().size(), static_cast<std::size_t>(kLines));
  const Cycle first = bench.requests()[0].cycle;
  EXPECT_EQ(bench.requests()[kAtOnce - 1].cycle, first + kAtOnce - 1);
  EXPECT_EQ(bench.requests()[kAtOnce].cycle, first + kMemoryLatency) << "behind the first answer";
  EXPECT_EQ(bench.requests()[kLines - 1].address, (kLines - 1) * 128U);
  EXPECT_EQ(bench.counter("memory_pipeline.shared_fill_bytes"), kLines * 128U);
}

/// One box of 32 rows of 128 bytes, from element `column` of its rows on, out of shared memory.
isa::KernelLaunch box_out(Opcode opcode, std::int64_t column = 0) {
  Program program;
  program.op(opcode, isa::TileOperand{.coordinates = {{column}, {0}}, .shared = {1024}});
  isa::KernelLaunch launch = program.op(Opcode::kUtmacmdflush).op(Opcode::kDepbar, 0).launch(1);
  launch.tensor_maps = {
      {.name = "D", .element_bytes = 4, .extents = {32, 64}, .strides = {128}, .box = {32, 32}}};
  return launch;
}

std::vector<memory::LineRequest> requests_of(const isa::KernelLaunch& launch) {
  SmBench bench(launch, asynchronous_sm());
  bench.start_cta(0);
  EXPECT_GE(bench.finish(), 0);
  return bench.requests();
}

TEST(BoxCopy, ThatIsAddedAsksForOneReductionALineOfAllItsWords) {
  const auto requests = requests_of(box_out(Opcode::kUtmaredgAdd2d));
  ASSERT_EQ(requests.size(), 32U);
  for (const memory::LineRequest& request : requests) {
    EXPECT_EQ(request.access, memory::LineAccess::kReduction);
    EXPECT_EQ(request.sectors, 0b1111);
    EXPECT_EQ(request.atomic.type, memory::AtomicClass::kFloat);
    EXPECT_EQ(request.atomic.lanes, 32);
    EXPECT_EQ(request.atomic.passes, 4) << "one a sector";
  }
  EXPECT_EQ(requests[31].cycle - requests[0].cycle, 31);
}

TEST(BoxCopy, ThatIsAddedLeavesOutWhatLiesOutsideItsTensor) {
  const auto requests = requests_of(box_out(Opcode::kUtmaredgAdd2d, 18));
  ASSERT_EQ(requests.size(), 32U);
  EXPECT_EQ(requests[0].sectors, 0b1100);
  EXPECT_EQ(requests[0].atomic.lanes, 14);
  EXPECT_EQ(requests[0].atomic.bytes(), 56);
  EXPECT_EQ(requests[0].atomic.passes, 2);
}

TEST(BoxCopy, ThatIsAddedHasBeenReadWhenAStoredOneHasAndCountsAsReductionsDo) {
  SmBench stored(box_out(Opcode::kUtmastg2d), asynchronous_sm());
  SmBench added(box_out(Opcode::kUtmaredgAdd2d), asynchronous_sm());
  stored.start_cta(0);
  added.start_cta(0);
  EXPECT_EQ(added.finish(), stored.finish());
  EXPECT_EQ(stored.counter("memory_pipeline.global_write_bytes"), 32U * 128);
  EXPECT_EQ(added.counter("memory_pipeline.global_write_bytes"), 0U);
}

/// 4 KiB in a row from byte `offset` of D on, to or from shared memory.
isa::KernelLaunch row_copy(Opcode opcode, std::int64_t offset) {
  Program program;
  program.op(Opcode::kSyncsExch, BarrierOperand{{0}, {1}});
  program.op(opcode, isa::TileOperand{.shared = {1024},
                                      .barrier = {0},
                                      .row = isa::RowOperand{0, {offset}, {32 * 128}}});
  return program.op(Opcode::kUtmacmdflush).op(Opcode::kDepbar, 0).launch(1);
}

TEST(RowCopy, AsksForTheLinesThatItTouches) {
  for (const Opcode opcode : {Opcode::kUblkcpSG, Opcode::kUblkcpGS, Opcode::kUblkredGSAdd}) {
    const auto requests = requests_of(row_copy(opcode, 80));
    ASSERT_EQ(requests.size(), 33U);
    EXPECT_EQ(requests[0].address, 0U);
    EXPECT_EQ(requests[0].sectors, 0b1100);
    EXPECT_EQ(requests[1].address, 128U);
    EXPECT_EQ(requests[1].sectors, 0b1111);
    EXPECT_EQ(requests[32].address, 32U * 128);
    EXPECT_EQ(requests[32].sectors, 0b0111);
  }
  EXPECT_EQ(requests_of(row_copy(Opcode::kUblkcpGS, 80))[0].partial, 0b0100);
  EXPECT_EQ(requests_of(row_copy(Opcode::kUblkredGSAdd, 80))[0].atomic.lanes, 12);
}

TEST(RowCopy, TakesTheTimeOfABoxOfTheSameLines) {
  for (const auto& [row, box] : {std::pair(Opcode::kUblkcpGS, Opcode::kUtmastg2d),
                                 std::pair(Opcode::kUblkredGSAdd, Opcode::kUtmaredgAdd2d)}) {
    isa::KernelLaunch launch = box_out(box);
    isa::WarpProgram& program = launch.programs[0];
    const Cycle of_box = end_of(launch, asynchronous_sm());
    for (isa::AsyncOperands& operands : program.async)
      if (auto* const tile = std::get_if<isa::TileOperand>(&operands)) {
        tile->row = isa::RowOperand{0, {0}, {32 * 128}};
        tile->coordinates = {};
      }
    for (Instruction& instruction : program.instructions)
      if (instruction.opcode == box) instruction.opcode = row;
    EXPECT_EQ(end_of(launch, asynchronous_sm()), of_box);
  }
}

TEST(RowCopy, IntoTheL2AsksForItsLinesAndBringsNothing) {
  SmBench bench(row_copy(Opcode::kUblkpf, 80), asynchronous_sm());
  bench.start_cta(0);
  ASSERT_GE(bench.finish(), 0);
  ASSERT_EQ(bench.requests().size(), 33U);
  for (const memory::LineRequest& request : bench.requests())
    EXPECT_EQ(request.access, memory::LineAccess::kPrefetch);
  EXPECT_EQ(bench.requests()[32].cycle - bench.requests()[0].cycle, 32);
  EXPECT_EQ(bench.counter("memory_pipeline.shared_fill_bytes"), 0U);
  EXPECT_EQ(bench.counter("memory_pipeline.global_write_bytes"), 0U);
}

TEST(BoxCopy, ThatBringsOtherBytesThanExpectedLeavesItsWarpAsleep) {
  SmBench bench(box_copy(32 * 128 + 16), asynchronous_sm());
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(1000), -1);
  const std::vector<WarpWait> waits = bench.sm().waits();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].kind, WaitKind::kPhase);
  EXPECT_EQ(waits[0].opcode, Opcode::kSyncsTryWait);
  EXPECT_EQ(waits[0].mbarrier->bytes, 16);
  EXPECT_EQ(waits[0].mbarrier->pending, 0);
}

}  // namespace
}  // namespace tcsim::sm::test
