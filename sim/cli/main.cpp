#include "sim/cli/interrupt.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/standard_streams.hpp"

int main(int argc, char* argv[]) {
  tcsim::cli::StandardStreams streams;
  const tcsim::cli::StopWatch watch;
  return streams.finish(tcsim::cli::run_program({argv, argv + argc}, TCSIM_VERSION));
}
