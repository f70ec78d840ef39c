#include "sim/config/schema_tables.hpp"

namespace tcsim::config {

/// Left out, a machine has no NVLink, so that files of one GPU need not speak of it.
std::vector<Key> link_keys() {
  return {
      {TC_KEY(nvlink.links), "", 0, 64, "", "collectives", "NVLinks of the board; 0: none.", "0"},
      {TC_KEY(nvlink.link_gb_per_s), "GB/s", 0, 1000, "", "collectives",
       "Rate at which a collective operation moves data over one link, each way.", "0"},
      {TC_KEY(nvlink.most_gpus), "", 1, 1024, "", "collectives",
       "GPUs that NVLink can join, this one included.", "1"},
      {TC_KEY(nvlink.start_us), "us", 0, 1000, "", "collectives",
       "Time to start and end a collective operation whose words carry their own flags.", "0"},
      {TC_KEY(nvlink.hop_us), "us", 0, 1000, "", "collectives", "Each of its steps.", "0"},
      {TC_KEY(nvlink.line_start_us), "us", 0, 1000, "", "collectives",
       "Time to start and end a collective operation in lines of 128 B that carry a flag each; 0: "
       "there is none.",
       "0"},
      {TC_KEY(nvlink.line_hop_us), "us", 0, 1000, "", "collectives", "Each of its steps.", "0"},
      {TC_KEY(nvlink.bulk_start_us), "us", 0, 1000, "", "collectives",
       "Time to start and end a collective operation in bulk.", "0"},
      {TC_KEY(nvlink.bulk_hop_us), "us", 0, 1000, "", "collectives", "Each of its steps.", "0"},
      {TC_KEY(nvlink.switch_us), "us", 0, 1000, "", "collectives",
       "Time of a collective operation of more than two GPUs that the switch carries out, besides "
       "that of its bytes; 0: there is none.",
       "0"},
  };
}

}  // namespace tcsim::config
