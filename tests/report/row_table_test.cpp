#include "sim/report/row_table.hpp"

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
  EXPECT_EQ(text,
            "v: 3 of 3 rows done, 113.00 us of GPU time, 0.1 TFLOPS overall; 62.5 % of peak in the "
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
