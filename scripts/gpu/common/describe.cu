// Describes the measured GPU 0, its driver and clocks, as JSON, or prints one property of it.
//
//   describe --show capability        80
//   describe --show table-name        A100-SXM4-80GB
//   describe --out FILE.json --revision R --date D --toolkit T
#include <cstdio>
#include <fstream>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/nvml.hpp"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/common/program.hpp"

namespace tcsim::measure {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + '"';
}

/// -1, an unknown value, becomes null.
std::string value(int number) { return number < 0 ? "null" : std::to_string(number); }

void write(const Options& options, const Device& device) {
  const Nvml nvml(device.pci_bus_id);
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const std::string path = options.text("out", "provenance.json");
  std::ofstream stream(path);
  const auto line = [&](const char* key, const std::string& text, const char* end = ",") {
    stream << "  \"" << key << "\": " << text << end << '\n';
  };
  stream << "{\n";
  line("date", quoted(options.text("date", "")));
  line("revision", quoted(options.text("revision", "unknown")));
  line("gpu", quoted(device.name));
  line("table_name", quoted(device.board.gpu));
  line("compute_capability", value(device.sm));
  line("sms", value(device.sms));
  line("memory_bytes", std::to_string(device.memory_bytes));
  line("l2_bytes", std::to_string(device.l2_bytes));
  line("ecc", attribute(cudaDevAttrEccEnabled) != 0 ? "true" : "false");
  line("driver", quoted(nvml.driver()));
  line("driver_cuda_version", value(driver));
  line("runtime_cuda_version", value(runtime));
  line("toolkit", quoted(options.text("toolkit", "")));
  line("sm_mhz_now", value(nvml.sm_mhz()));
  line("sm_mhz_max", value(nvml.max_sm_mhz()));
  line("sm_mhz_application", value(nvml.application_sm_mhz()));
  line("memory_mhz_now", value(nvml.memory_mhz()));
  line("memory_mhz_max", value(nvml.max_memory_mhz()));
  line("temperature_c", value(nvml.temperature_c()));
  line("power_mw", value(nvml.power_mw()));
  line("power_limit_mw", value(nvml.power_limit_mw()), "");
  stream << "}\n";
  if (!stream.flush()) throw ProgramError(kUnreadable, path + ": cannot write");
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("describe", [&] {
    const Options options(argc, argv, {"show", "out", "revision", "date", "toolkit"});
    const Device device = find_device();
    const std::string show = options.text("show", "");
    if (show == "capability")
      std::printf("%d\n", device.sm);
    else if (show == "table-name")
      std::printf("%s\n", device.board.gpu.c_str());
    else
      write(options, device);
  });
}
