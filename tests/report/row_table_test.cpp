#include "sim/report/row_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/json_report.hpp"
#include "tests/report/fake_gpu.hpp"

namespace tcsim::report {
namespace {

TableRow done_row(int number, const std::string& machine, double time_us) {
  TableRow row{number, machine, "gemm:m=100,n=100,k=125", "100x100x125", RowStatus::kDone,
               "",     "",      run_json(fake_record())};
  row.result["time_us"] = time_us;
  return row;
}

TableRow failed_row() {
  return {2,  "toy",  "gemm:bad", "bad, shape", RowStatus::kFailed, "killed by signal 11",
          "", nullptr};
}

/// A network that two GPUs share, half of the time for collective operations.
TableRow network_row(const std::string& machine) {
  TableRow row = done_row(1, machine, 1.0);
  row.workload = "net:tiny";
  row.title = "tiny, batch 4, fp16, decode, 2 GPUs";
  row.result["kernels"] = nlohmann::ordered_json::array();
  row.result["tflops"] = 0.028;
  row.result["peak_fraction"] = 0.0004;
  row.result.update(nlohmann::ordered_json::parse(
      R"({"gpus": 2, "batch": 4, "tokens": 1, "context_tokens": 256, "precision": "fp16",)"
      R"( "pass": "decode", "kv_cache": "paged", "samples_per_s": 2e6, "tokens_per_s": 2e6,)"
      R"( "collectives": {"time_us": 0.5}})"));
  return row;
}

TableRow failed_network_row() {
  TableRow row = failed_row();
  row.workload = row.title = "net:tiny";
  return row;
}

TEST(RowTable, ShowsAFailedRowWithItsReason) {
  EXPECT_EQ(
      rows_text({done_row(1, "toy", 1.0), failed_row()}),
      "machine  workload     tile      time us  TFLOPS  % of peak  bound by\n"
      "toy      100x100x125  64x64x32     1.00    2.50       62.5  tensor_cores\n"
      "toy      bad, shape   -               -       -          -  failed: killed by signal 11\n");
}

TEST(RowTable, ShowsTheTileOfTheFirstKernelThatHasOne) {
  TableRow second = done_row(1, "toy", 1.0);
  second.result["kernels"].push_back(second.result["kernels"].front());
  second.result["kernels"].front()["tile"] = "";
  TableRow none = second;
  none.result["kernels"].back()["tile"] = "";
  EXPECT_EQ(rows_text({second, none}),
            "machine  workload     tile      time us  TFLOPS  % of peak  bound by\n"
            "toy      100x100x125  64x64x32     1.00    2.50       62.5  tensor_cores\n"
            "toy      100x100x125  -            1.00    2.50       62.5  tensor_cores\n");
}

TEST(RowTable, WritesEveryRowWithAsManyFieldsAsTheHeader) {
  const std::string text = rows_csv({done_row(1, "toy", 1.0), failed_row()});
  EXPECT_EQ(text,
            "row,machine,workload,status,reason,tile,time_us,cycles,clock_mhz,flop,tflops,peak_"
            "tflops,peak_fraction,"
            "pipe_active,issue_fraction,bound_by,dram_read_bytes,dram_write_bytes,l2_hit_rate,warp_"
            "instructions,"
            "mma_instructions,fidelity,overrides\n"
            "1,toy,\"gemm:m=100,n=100,k=125\",done,,64x64x32,1,1000,1000,2500000,2.5,4,0.625,0.9,0."
            "8,tensor_cores,"
            "3000,1000,0.75,1600,400,cycle,\n"
            "2,toy,gemm:bad,failed,killed by signal 11,,,,,,,,,,,,,,,,,cycle,\n");
}

TEST(RowTable, OfANetworkShowsItsRatesAndWhoseTheyAre) {
  EXPECT_EQ(rows_text({network_row("toy"), failed_network_row()}),
            "machine  workload                             time us  samples/s   tokens/s  TFLOPS "
            "per GPU  % of peak  bound by\n"
            "toy      tiny, batch 4, fp16, decode, 2 GPUs     1.00  2000000.0  2000000.0          "
            " 0.028      0.040  tensor_cores\n"
            "toy      net:tiny                                   -          -          -          "
            "     -          -  failed: killed by signal 11\n");
}

TEST(RowTable, OfANetworkWithoutASequenceShowsNoTokens) {
  TableRow row = network_row("toy");
  row.result["gpus"] = 1;
  row.result["tokens_per_s"] = nullptr;
  row.result.erase("collectives");
  EXPECT_THAT(rows_text({row}), ::testing::HasSubstr("time us  samples/s  TFLOPS  % of peak"));
  EXPECT_EQ(collective_note({row}), "");
}

TEST(RowTable, OfANetworkEndsRecordsWithHowItWasAskedToRun) {
  const std::string text = rows_csv({network_row("toy"), failed_network_row()});
  EXPECT_THAT(text,
              ::testing::HasSubstr(",fidelity,overrides,gpus,batch,tokens,context_tokens,precision,"
                                   "pass,kv_cache,samples_per_s,tokens_per_s,collective_us\n"));
  EXPECT_THAT(text,
              ::testing::HasSubstr(",cycle,,2,4,1,256,fp16,decode,paged,2000000,2000000,0.5\n"));
  EXPECT_THAT(text, ::testing::EndsWith(",cycle,,,,,,,,,,,\n"));
}

TEST(RowTable, OfSeveralGpusTellsWhatAModelPredicts) {
  const std::string note =
      "samples and tokens are those of all 2 GPUs together; collective operations take 50.0 % of "
      "the time on toy, 50.0 % of the time on other, by a model of NVLink (docs/networks.md)";
  const std::vector<TableRow> rows{network_row("toy"), network_row("other")};
  EXPECT_EQ(collective_note(rows), note);
  EXPECT_THAT(summary_text(rows), ::testing::StartsWith("toy: 1 of 1 row done, 1.00 us on 2 GPUs, "
                                                        "2.5 TFLOPS per GPU overall; 0.040 % of"));
  EXPECT_THAT(summary_text(rows), ::testing::EndsWith("\n" + note + "\n"));
  EXPECT_THAT(rows_markdown(rows), ::testing::HasSubstr("collective operations take 50.0 %"));
}

TEST(RowTable, KeepsStatusAndReasonInJson) {
  const auto json = rows_json({failed_row()});
  EXPECT_EQ(
      json.dump(),
      R"([{"row":2,"machine":"toy","workload":"gemm:bad","title":"bad, shape","directory":"",)"
      R"("status":"failed","reason":"killed by signal 11","result":null}])");
}

TEST(TableSummary, ComparesMachinesOnTheRowsThatBothFinished) {
  const std::string text =
      summary_text({done_row(1, "v", 4.0), done_row(2, "v", 9.0), done_row(3, "v", 100.0),
                    done_row(1, "a", 1.0), done_row(2, "a", 4.0)});
  // The mean of 4/1 and 9/4 is their geometric one, 3.
  EXPECT_EQ(
      text,
      "v: 3 of 3 rows done, 113.00 us of GPU time, 0.066 TFLOPS overall; 62.5 % of peak in the "
      "median, 62.5 % at "
      "best\n"
      "a: 2 of 2 rows done, 5.00 us of GPU time, 1.0 TFLOPS overall; 62.5 % of peak in the "
      "median, 62.5 % at "
      "best\n"
      "a is 3.00 times as fast as v (geometric mean over 2 rows)\n");
}

TEST(TableSummary, HasNoRateWithoutOperations) {
  TableRow row = done_row(1, "v", 4.0);
  for (const char* name : {"flop", "tflops", "peak_fraction"}) row.result[name] = nullptr;
  EXPECT_EQ(summary_text({row}), "v: 1 of 1 row done, 4.00 us of GPU time\n");
}

TEST(TableSummary, CountsFailedRowsWithoutInventingNumbers) {
  EXPECT_EQ(summary_text({failed_row()}), "toy: 0 of 1 row done\n");
}

}  // namespace
}  // namespace tcsim::report
