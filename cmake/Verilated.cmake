# tc_verilated(<name> TOP <module> [TRACE] [PARAMETERS -G<name>=<value>...]): static library verilated_<name> with the
# SystemC module V<name>, from rtl/. TRACE: it can write waveforms. The library has none of the project's warnings,
# because the code is Verilator's. Its many small files are compiled as one: most of their time goes to SystemC's headers.
find_package(verilator 5.006 REQUIRED HINTS /usr/share/verilator)

function(tc_verilated name)
  cmake_parse_arguments(ARG "TRACE" "TOP" "PARAMETERS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/rtl)
  set(trace)
  if(ARG_TRACE)
    set(trace TRACE)
  endif()
  add_library(verilated_${name} STATIC)
  verilate(verilated_${name} SYSTEMC ${trace}
    SOURCES ${folder}/simulation.vlt ${folder}/mma_pkg.sv ${folder}/${ARG_TOP}.sv
    TOP_MODULE ${ARG_TOP}
    PREFIX V${name}
    INCLUDE_DIRS ${folder}
    VERILATOR_ARGS -O3 --timescale-override 1ns/1fs --trace-depth 3 --assert --vpi --x-assign fast
                   --x-initial fast ${ARG_PARAMETERS})
  target_compile_options(verilated_${name} PRIVATE -O2 -g0)
  target_link_libraries(verilated_${name} PUBLIC systemc)
  get_target_property(runtime verilated_${name} SOURCES)
  list(FILTER runtime INCLUDE REGEX "/include/verilated[^/]*\\.cpp$")
  set_source_files_properties(${runtime} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # its templates clash
  set_target_properties(verilated_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES
    $<TARGET_PROPERTY:verilated_${name},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()
