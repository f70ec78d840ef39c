// Copies of bytes in a row: UBLKCP, UBLKRED and UBLKPF.

#include <gmock/gmock.h>

#include <cstring>
#include <string>

#include "models/functional/execute.hpp"
#include "models/numerics/convert.hpp"
#include "tests/functional/races.hpp"
#include "tests/functional/words.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::functional::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kWords = 2048;  // of each buffer

/// CTAs of one warp, in clusters of `cluster`, that run `program`: buffers A and D of 8 KiB, and as
/// much shared memory with mbarriers behind it.
isa::KernelLaunch rows(const std::string& program, int ctas = 1, int cluster = 1) {
  return trace::read_tct("tct 1\nkernel rows\ngrid " + std::to_string(ctas) + " 1 1\ncluster " +
                             std::to_string(cluster) +
                             " 1 1\nwarps 1\nregisters 32\nshared 8256\n"
                             "buffer A input base=0 bytes=8192\n"
                             "buffer D output base=8192 bytes=8192\nprogram main warps 0\n" +
                             program + "EXIT\n",
                         "k.tct");
}

struct RowRun {
  Words words;  ///< of D, which held -1.0 and more
  std::vector<Race> races;
  std::string refusal;
};

Words words_of(GlobalMemory& memory, const char* buffer) {
  Words words(kWords);
  std::memcpy(words.data(), memory.buffer(buffer).data(), 4 * kWords);
  return words;
}

Words part() { return uneven_words(kWords, 1); }
Words before() { return uneven_words(kWords, 2); }

RowRun run_rows(const isa::KernelLaunch& launch) {
  GlobalMemory memory(launch);
  std::memcpy(memory.buffer("A").data(), part().data(), 4 * kWords);
  std::memcpy(memory.buffer("D").data(), before().data(), 4 * kWords);
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  if (!result.has_value()) return {.words = {}, .races = {}, .refusal = result.refusal().reason};
  return {.words = words_of(memory, "D"), .races = result.value().races, .refusal = {}};
}

std::string refusal_of(const std::string& program, int ctas = 1, int cluster = 1) {
  return run_rows(rows(program, ctas, cluster)).refusal;
}

const std::string init_barrier = "SYNCS.EXCH.64 mbar[8192], 1\n";
const std::string wait_for_bytes = "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[8192], 0\n";
const std::string close_group = "UTMACMDFLUSH\nDEPBAR.LE 0\n";
/// 1 KiB from the start of A to that of shared memory.
const std::string load_kib = init_barrier +
                             "SYNCS.ARRIVE.TRANS64 mbar[8192], 1024\n"
                             "UBLKCP.S.G A[0, bytes=1024] -> smem[0], mbar[8192]\n";

/// Four rows of 1 KiB and one of 48 bytes, each to a byte that is a multiple of 16 alone.
TEST(RowCopy, BringsAndTakesAwayRowsOfAnyMultipleOf16Bytes) {
  const RowRun run = run_rows(
      rows(init_barrier +
           "loop i0 < 5\n"
           "SYNCS.ARRIVE.TRANS64 mbar[8192], 1024 - 976*(i0/4)\n"
           "UBLKCP.S.G A[1024*i0 + 16, bytes=1024 - 976*(i0/4)] -> smem[1024*i0 + 48], mbar[8192]\n"
           "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[8192], i0%2\n"
           "UBLKCP.G.S smem[1024*i0 + 48] -> D[1024*i0 + 32, bytes=1024 - 976*(i0/4)]\n"
           "end\n" +
           close_group));
  ASSERT_EQ(run.refusal, "");
  EXPECT_THAT(run.races, IsEmpty());
  Words expected = before();
  const Words from = part();
  std::copy(from.begin() + 4, from.begin() + 4 + 1024 + 12, expected.begin() + 8);
  EXPECT_EQ(run.words, expected);
}

TEST(RowCopy, AddsFp32InTheOrderOfItsRows) {
  const auto added = [](std::initializer_list<std::size_t> firsts) {
    Words sums = before();
    for (const std::size_t first : firsts)
      for (std::size_t i = 0; i < 128; ++i)
        sums[20 + i] = numerics::fp32_add(sums[20 + i], part()[first + i]);
    return sums;
  };
  const RowRun run = run_rows(rows(load_kib + wait_for_bytes +
                                   "UBLKRED.G.S.ADD smem[0] -> D[80, bytes=512]\n"
                                   "UBLKRED.G.S.ADD smem[512] -> D[80, bytes=512]\n" +
                                   close_group));
  ASSERT_EQ(run.refusal, "");
  EXPECT_THAT(run.races, IsEmpty());
  EXPECT_EQ(run.words, added({0, 128}));
  EXPECT_NE(run.words, added({128, 0})) << "the order shows";
}

TEST(RowCopy, IntoTheL2ChangesNothing) {
  const RowRun run = run_rows(rows("UBLKPF A[16, bytes=8176]\n"));
  EXPECT_EQ(run.refusal, "");
  EXPECT_EQ(run.words, before());
  EXPECT_THAT(refusal_of("UBLKPF A[32 - 16*ctaid.x, bytes=8176]\n"),
              HasSubstr("a row of 8176 bytes at byte 32 of its buffer, outside its 8192 bytes"));
}

TEST(RowCopy, IsRefusedOutsideItsBufferOrBetweenPieces) {
  const auto stored = [](const std::string& to) {
    return refusal_of("UBLKCP.G.S smem[0] -> D[" + to + "]\n" + close_group);
  };
  EXPECT_EQ(stored("8192 - 1024, bytes=1024"), "");
  EXPECT_THAT(stored("8192 - 1008 - 16*ctaid.x, bytes=1024"), HasSubstr("outside its 8192 bytes"));
  EXPECT_THAT(stored("ctaid.x - 16, bytes=1024"), HasSubstr("at byte -16 of its buffer, outside"));
  EXPECT_THAT(stored("8 - ctaid.x, bytes=1024"),
              HasSubstr("at byte 8 of its buffer, not a multiple of 16"));
  EXPECT_THAT(stored("0, bytes=ctaid.x + 1016"),
              HasSubstr("a row of 1016 bytes, allowed multiples of 16"));
  EXPECT_THAT(stored("0, bytes=ctaid.x"), HasSubstr("a row of 0 bytes, allowed multiples of 16"));
  EXPECT_THAT(stored("0, bytes=ctaid.x - 16"), HasSubstr("a row of -16 bytes"));
}

TEST(RowCopy, IsRefusedOutsideSharedMemoryOrBetweenItsPieces) {
  const auto stored = [](const std::string& from) {
    return refusal_of("UBLKCP.G.S smem[" + from + "] -> D[0, bytes=64]\n" + close_group);
  };
  EXPECT_EQ(stored("16"), "");
  EXPECT_EQ(stored("8192"), "");
  EXPECT_THAT(stored("8208 - 16*ctaid.x"),
              HasSubstr("a row of 64 bytes at shared offset 8208, outside"));
  EXPECT_THAT(stored("ctaid.x + 8"),
              HasSubstr("a row at shared offset 8, which is not a multiple of 16"));
}

TEST(RowCopy, OfOtherBytesThanExpectedNeverCompletesItsPhase) {
  EXPECT_THAT(refusal_of(init_barrier +
                         "SYNCS.ARRIVE.TRANS64 mbar[8192], 1040\n"
                         "UBLKCP.S.G A[0, bytes=1024] -> smem[0], mbar[8192]\n" +
                         wait_for_bytes),
              HasSubstr("0 of 1 arrivals and 16 bytes"));
}

const std::string store_zeros = "STS smem[4*lane], RZ\n";
const std::string fence_stores = "FENCE.VIEW.ASYNC\n";

TEST(RowRaces, AReadBeforeThePhaseIsOne) {
  const auto then = [](const std::string& wait) {
    return run_rows(rows(load_kib + wait + "LDS R4, smem[4*lane]\n")).races;
  };
  EXPECT_TRUE(has_race(then(""), RaceKind::kReadOfOpenCopy));
  EXPECT_THAT(then(wait_for_bytes), IsEmpty());
}

TEST(RowRaces, AMissingFenceIsOneEachWay) {
  const auto out = [](const std::string& opcode, const std::string& fence) {
    return run_rows(
               rows(store_zeros + fence + opcode + " smem[0] -> D[0, bytes=128]\n" + close_group))
        .races;
  };
  for (const char* const opcode : {"UBLKCP.G.S", "UBLKRED.G.S.ADD"}) {
    EXPECT_TRUE(has_race(out(opcode, ""), RaceKind::kMissingFence)) << opcode;
    EXPECT_THAT(out(opcode, fence_stores), IsEmpty()) << opcode;
  }
  const auto in = [](const std::string& fence) {
    return run_rows(rows(store_zeros + fence + load_kib + wait_for_bytes)).races;
  };
  EXPECT_TRUE(has_race(in(""), RaceKind::kMissingFence));
  EXPECT_THAT(in(fence_stores), IsEmpty());
}

TEST(RowRaces, AStoreOverWhatIsBeingReadIsOne) {
  const auto stored_behind = [](const std::string& wait) {
    return run_rows(rows("UBLKCP.G.S smem[0] -> D[0, bytes=128]\nUTMACMDFLUSH\n" + wait +
                         store_zeros + "DEPBAR.LE 0\n"))
        .races;
  };
  EXPECT_TRUE(has_race(stored_behind(""), RaceKind::kWriteToOpenRead));
  EXPECT_THAT(stored_behind("DEPBAR.LE 0\n"), IsEmpty());
  EXPECT_THAT(refusal_of("UBLKCP.G.S smem[0] -> D[0, bytes=128]\nUTMACMDFLUSH\n"),
              HasSubstr("ends while TMA may still read shared memory"));
}

const std::string meet_cluster = "UCGABAR_ARV\nUCGABAR_WAIT\n";

std::string modulus(int size) { return "%" + std::to_string(size); }

/// Each CTA has 1 KiB of A, puts `sent` bytes of it from byte 16 on to the next rank, where they
/// come to byte 4096, and stores the `expected` bytes that come to it to its KiB of D. `behind` is
/// what stands behind that.
std::string ring(int size, const std::string& sent, const std::string& expected,
                 const std::string& behind) {
  return "SYNCS.EXCH.64 mbar[8192], 1\nSYNCS.EXCH.64 mbar[8200], 1\n" + meet_cluster +
         "SYNCS.ARRIVE.TRANS64 mbar[8192], 1024\n"
         "UBLKCP.S.G A[1024*(ctaid.x), bytes=1024] -> smem[0], mbar[8192]\n" +
         wait_for_bytes + "SYNCS.ARRIVE.TRANS64 mbar[8200], " + expected +
         "\nUBLKCP.S.S smem[16] -> dsmem[16777216*((ctaid.x+1)" + modulus(size) +
         ") + 4096, bytes=" + sent +
         "], mbar[8200]\n"
         "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[8200], 0\n"
         "UBLKCP.G.S smem[4096] -> D[1024*(ctaid.x), bytes=" +
         expected + "]\n" + close_group + behind;
}

TEST(ClusterBarrier, WaitsForNoCtaThatHasExited) {
  // Rank 1 exits at once, rank 2 between two phases.
  EXPECT_EQ(refusal_of("EXIT @(ctaid.x%4 < 2 && 1 - ctaid.x%4 < 1)\n" + meet_cluster +
                           "EXIT @(ctaid.x%4 < 3 && 2 - ctaid.x%4 < 1)\n" + meet_cluster,
                       8, 4),
            "");
}

TEST(ClusterBarrier, RefusesAWaitWithoutAnArrival) {
  const std::string no_arrival =
      "(UCGABAR_WAIT): waits at the barrier of its cluster without an arrival there since its last "
      "wait";
  const std::string of_rank_0 = "UCGABAR_ARV @(ctaid.x < 1)\nUCGABAR_WAIT\n";
  EXPECT_THAT(refusal_of(of_rank_0, 2, 2), HasSubstr(no_arrival));
  EXPECT_THAT(refusal_of(meet_cluster + of_rank_0, 2, 2), HasSubstr(no_arrival));
}

TEST(ClusterPut, GoesRoundClustersOfTwoAndFour) {
  for (const int size : {2, 4}) {
    const RowRun run = run_rows(rows(ring(size, "1008", "1008", meet_cluster), 4, size));
    ASSERT_EQ(run.refusal, "") << size;
    EXPECT_THAT(run.races, IsEmpty()) << size;
    Words expected = before();
    const Words from = part();
    for (int cta = 0; cta < 4; ++cta) {
      const int giver = cta / size * size + (cta + size - 1) % size;
      std::copy_n(from.begin() + 256 * giver + 4, 252, expected.begin() + 256 * cta);
    }
    EXPECT_EQ(run.words, expected) << size;
  }
}

TEST(ClusterPut, OfRaggedRowsCompletesTheirBytes) {
  const std::string sent = "16 + 480*ctaid.x";
  const std::string expected = "16 + 480*((ctaid.x+1)%2)";
  const RowRun run = run_rows(rows(ring(2, sent, expected, meet_cluster), 2, 2));
  ASSERT_EQ(run.refusal, "");
  EXPECT_THAT(run.races, IsEmpty());
  Words words = before();
  const Words from = part();
  std::copy_n(from.begin() + 256 + 4, 124, words.begin());
  std::copy_n(from.begin() + 4, 4, words.begin() + 256);
  EXPECT_EQ(run.words, words);
  EXPECT_THAT(refusal_of(ring(2, sent, sent, meet_cluster), 2, 2),
              HasSubstr("received 480 bytes more than it expects"));
}

/// The giver's shared memory must be there until the bytes have come, which it is told of here by
/// the barrier of the cluster.
TEST(ClusterPut, MustHaveBeenReadBeforeItsCtaEnds) {
  const RowRun run = run_rows(rows(ring(2, "1008", "1008", ""), 2, 2));
  EXPECT_TRUE(has_race(run.races, RaceKind::kAccessBehindEnd));
}

/// Rank 0 puts 128 bytes of its own to rank 1, which waits for them; all CTAs meet behind that.
std::string put_and(const std::string& before_it, const std::string& behind_it,
                    const std::string& there) {
  const std::string first = " @(ctaid.x < 1)\n";
  const std::string second = " @(-1*ctaid.x < 0)\n";
  const auto guarded = [](const std::string& lines, const std::string& guard) {
    std::string all;
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      all += lines.substr(at, end - at) + guard;
      at = end + 1;
    }
    return all;
  };
  return init_barrier + "SYNCS.EXCH.64 mbar[8200], 1\n" + meet_cluster + guarded(before_it, first) +
         "UBLKCP.S.S smem[0] -> dsmem[16777216, bytes=128], mbar[8192]" + first +
         guarded(behind_it, first) + "SYNCS.ARRIVE.TRANS64 mbar[8192], 128" + second +
         guarded(there, second) + meet_cluster;
}

TEST(ClusterPutRaces, AreFoundAtBothEnds) {
  const auto races = [](const std::string& before_it, const std::string& behind_it,
                        const std::string& there) {
    const RowRun run = run_rows(rows(put_and(before_it, behind_it, there), 2, 2));
    EXPECT_EQ(run.refusal, "");
    return run.races;
  };
  const std::string load = "LDS R4, smem[4*lane]\n";
  EXPECT_THAT(races(store_zeros + fence_stores, "", wait_for_bytes + load), IsEmpty());
  EXPECT_TRUE(has_race(races(store_zeros, "", wait_for_bytes + load), RaceKind::kMissingFence));
  EXPECT_TRUE(has_race(races("", store_zeros, wait_for_bytes + load), RaceKind::kWriteToOpenRead));
  EXPECT_TRUE(has_race(races("", "", load), RaceKind::kWriteAfterRead));
  // It knows that the bytes are on their way, and no more.
  const std::string told = "SYNCS.ARRIVE.TRANS64.RED.A1T0 mbar[8200], rank[1]\n";
  const std::string hears = "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[8200], 0\n";
  EXPECT_TRUE(has_race(races("", told, hears + load), RaceKind::kReadOfOpenCopy));
  EXPECT_TRUE(has_race(races("", "", ""), RaceKind::kAccessBehindEnd)) << "nobody waits";
}

TEST(ClusterPut, IsRefusedOutsideItsCluster) {
  const auto put = [](const std::string& to, const std::string& barrier) {
    return refusal_of(init_barrier + meet_cluster + "UBLKCP.S.S smem[0] -> dsmem[" + to +
                          ", bytes=128], mbar[" + barrier + "]\n" + meet_cluster,
                      2, 2);
  };
  EXPECT_THAT(put("33554432 - 16*warp", "8192"), HasSubstr("names rank 2 of a cluster of 2 CTAs"));
  EXPECT_THAT(put("16777216 + 8192 - 16*warp", "8192"),
              HasSubstr("a row of 128 bytes at shared offset 8192, outside its 8256 bytes"));
  EXPECT_THAT(put("16777216 + 8 - warp", "8192"), HasSubstr("not a multiple of 16"));
  EXPECT_THAT(put("16777216", "8200"),
              HasSubstr("the mbarrier at shared offset 8200 was never initialised"));
}

/// Rank 1 copies to rank 0, which has run before and so finds its mbarrier initialised.
TEST(ClusterRaces, ACopyUnorderedWithTheInitialisationOfItsMbarrierIsOne) {
  const std::string first = " @(ctaid.x < 1)\n";
  const auto races = [&](const std::string& meeting, const std::string& copy) {
    const RowRun run = run_rows(
        rows("SYNCS.EXCH.64 mbar[8192], 1\n" + meeting + "SYNCS.ARRIVE.TRANS64 mbar[8192], 48" +
                 first + copy + " @(-1*ctaid.x < 0)\nSYNCS.PHASECHK.TRANS64.TRYWAIT mbar[8192], 0" +
                 first + meet_cluster,
             2, 2));
    EXPECT_EQ(run.refusal, "") << copy;
    return run.races;
  };
  for (const char* const copy :
       {"UBLKCP.S.G.MULTICAST A[32, bytes=48] -> smem[16], mbar[8192], ranks[1]",
        "UBLKCP.S.S smem[64] -> dsmem[16, bytes=48], mbar[8192]"}) {
    EXPECT_THAT(races(meet_cluster, copy), IsEmpty()) << copy;
    const std::vector<Race> found = races("", copy);
    ASSERT_EQ(found.size(), 1U) << copy;
    EXPECT_EQ(found.front().kind, RaceKind::kReadAfterWrite) << copy;
    EXPECT_EQ(found.front().byte_offset, 8192) << copy;
  }
}

/// Rank 0 asks for a row for both CTAs.
TEST(RowCopy, GoesToManyCtas) {
  const RowRun run =
      run_rows(rows(init_barrier + meet_cluster +
                        "SYNCS.ARRIVE.TRANS64 mbar[8192], 48\n"
                        "UBLKCP.S.G.MULTICAST A[32, bytes=48] -> smem[16], mbar[8192], ranks[3] "
                        "@(ctaid.x < 1)\n" +
                        wait_for_bytes + "UBLKCP.G.S smem[16] -> D[48*ctaid.x, bytes=48]\n" +
                        close_group + meet_cluster,
                    2, 2));
  ASSERT_EQ(run.refusal, "");
  EXPECT_THAT(run.races, IsEmpty());
  Words expected = before();
  const Words from = part();
  for (int cta = 0; cta < 2; ++cta) std::copy_n(from.begin() + 8, 12, expected.begin() + 12 * cta);
  EXPECT_EQ(run.words, expected);
}

}  // namespace
}  // namespace tcsim::functional::testing
