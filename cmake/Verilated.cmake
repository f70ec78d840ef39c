# tc_verilated(<name> TOP <module> [TRACE] [PARAMETERS -G<name>=<value>...]): static library verilated_<name> with the
# SystemC module V<name>, from rtl/. TRACE: it can write waveforms. The library has none of the project's warnings,
# because the code is Verilator's. Its many small files are compiled as one: most of their time goes to SystemC's headers.
find_package(verilator 5.006 REQUIRED HINTS /usr/share/verilator)

# What all of them link, once: Verilator's own runtime, with waveforms.
set(tc_verilator_include ${VERILATOR_ROOT}/include)
add_library(verilated_runtime STATIC
  ${tc_verilator_include}/verilated.cpp
  ${tc_verilator_include}/verilated_dpi.cpp
  ${tc_verilator_include}/verilated_threads.cpp
  ${tc_verilator_include}/verilated_vcd_c.cpp
  ${tc_verilator_include}/verilated_vpi.cpp)
target_compile_definitions(verilated_runtime
  PRIVATE VM_COVERAGE=0 VM_SC=1 VM_TRACE=1 VM_TRACE_FST=0 VM_TRACE_VCD=1)
target_include_directories(verilated_runtime
  SYSTEM PRIVATE ${tc_verilator_include} ${tc_verilator_include}/vltstd)
target_compile_options(verilated_runtime PRIVATE -O2 -g0)
target_link_libraries(verilated_runtime PUBLIC systemc Threads::Threads)

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
  target_link_libraries(verilated_${name} PUBLIC verilated_runtime)
  get_target_property(sources verilated_${name} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/include/verilated[^/]*\\.cpp$")
  set_target_properties(verilated_${name} PROPERTIES SOURCES "${sources}")
  set_target_properties(verilated_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES
    $<TARGET_PROPERTY:verilated_${name},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()
