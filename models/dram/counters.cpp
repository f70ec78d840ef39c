#include "models/dram/counters.hpp"

namespace tcsim::dram {

ChannelCounters::ChannelCounters(stats::Group& group)
    : reads(group, "reads", "bursts", "READ commands, each of which moves one burst."),
      writes(group, "writes", "bursts", "WRITE commands, each of which moves one burst."),
      read_bytes(group, "read_bytes", "bytes",
                 "Bytes moved by READ commands, always whole bursts."),
      write_bytes(group, "write_bytes", "bytes",
                  "Bytes moved by WRITE commands, always whole bursts."),
      activates(group, "activates", "commands", "ACTIVATE commands: rows opened."),
      precharges(group, "precharges", "commands",
                 "PRECHARGE commands: rows closed for another row or for a refresh."),
      refreshes(group, "refreshes", "commands",
                "Single-bank REFRESH commands, including those while nothing waits."),
      row_hits(group, "row_hits", "bursts",
               "Bursts served from a row that no row command was issued for on their behalf."),
      row_misses(group, "row_misses", "bursts",
                 "Bursts that had a row opened in a closed bank, and no row closed, on their "
                 "behalf."),
      row_conflicts(group, "row_conflicts", "bursts",
                    "Bursts on whose behalf another row was closed first."),
      turnarounds(group, "turnarounds", "bursts",
                  "Bursts that followed a burst of the other direction on the data bus."),
      data_bus_busy_clocks(group, "data_bus_busy_clocks", "memory clocks",
                           "Clocks with data on the bus, counted when the command issues."),
      queue_full_clocks(group, "queue_full_clocks", "memory clocks",
                        "Clocks during which every queue entry was taken, so that a push would "
                        "have been refused.") {}

}  // namespace tcsim::dram
