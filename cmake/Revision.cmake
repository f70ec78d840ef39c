# Writes OUTPUT, the definition of report::revision, from what git says about SOURCE. Run at every build; the file
# keeps its time stamp while the revision stays the same, so nothing is rebuilt.
find_package(Git QUIET)
set(revision unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -c safe.directory=* describe --always --dirty --abbrev=12
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(revision ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "sim/report/revision.hpp"

namespace tcsim::report {

std::string_view revision() { return "@revision@"; }

}  // namespace tcsim::report
]])
