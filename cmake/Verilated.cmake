# tc_verilated(<name> TOP <module> [TRACE] [PARAMETERS -G<name>=<value>...]): static library verilated_<name> with the
# SystemC module V<name>, from rtl/. TRACE: it can write waveforms. The library has none of the project's warnings,
# because the code is Verilator's. Its many small files are compiled as one: most of their time goes to SystemC's headers.
# --vpi: the module knows its scopes and public signals by name, for sim/rtl/signal.cpp; nothing calls VPI or DPI itself.
# Verilator runs while building, beside compilers, not while configuring as under its own verilate().
find_package(verilator 5.006 REQUIRED HINTS /usr/share/verilator)
find_program(TC_MAKE NAMES gmake make REQUIRED)  # the file of files is made by Verilator's own rule
file(GLOB tc_rtl_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/*.sv ${PROJECT_SOURCE_DIR}/rtl/*.vlt)

# What all of them link, once: Verilator's own runtime, with waveforms.
set(tc_verilator_include ${VERILATOR_ROOT}/include)
add_library(verilated_runtime STATIC
  ${tc_verilator_include}/verilated.cpp
  ${tc_verilator_include}/verilated_threads.cpp
  ${tc_verilator_include}/verilated_vcd_c.cpp)
target_compile_definitions(verilated_runtime
  PRIVATE VM_COVERAGE=0 VM_SC=1 VM_TRACE=1 VM_TRACE_FST=0 VM_TRACE_VCD=1)
target_include_directories(verilated_runtime
  SYSTEM PRIVATE ${tc_verilator_include} ${tc_verilator_include}/vltstd)
target_compile_options(verilated_runtime PRIVATE $<IF:$<CONFIG:Debug>,-O1,-O2> -g0)
target_link_libraries(verilated_runtime PUBLIC systemc Threads::Threads)

function(tc_verilated name)
  cmake_parse_arguments(ARG "TRACE" "TOP" "PARAMETERS" ${ARGN})
  set(rtl ${PROJECT_SOURCE_DIR}/rtl)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/verilated_${name})
  set(trace)
  if(ARG_TRACE)
    set(trace --trace)
  endif()
  add_custom_command(OUTPUT ${folder}/V${name}__ALL.cpp ${folder}/V${name}.h
    COMMAND ${VERILATOR_BIN} --sc ${trace} --prefix V${name} --top-module ${ARG_TOP} --Mdir ${folder} -I${rtl}
            -O3 --timescale-override 1ns/1fs --trace-depth 3 --assert --vpi --x-assign fast --x-initial fast
            ${ARG_PARAMETERS} ${rtl}/simulation.vlt ${rtl}/mma_pkg.sv ${rtl}/${ARG_TOP}.sv
    COMMAND ${TC_MAKE} --silent -C ${folder} -f V${name}.mk VM_PARALLEL_BUILDS=0 V${name}__ALL.cpp
    # The files that run once, all behind the others, and those of waveforms would take a third of the time to be optimised.
    COMMAND sed -i -e "0,/Slow/{/Slow/i #pragma GCC optimize(\"O0\")" -e "}" -e "/__Trace__[0-9]*.cpp/{H;d}" -e "\${G}"
            ${folder}/V${name}__ALL.cpp
    DEPENDS ${tc_rtl_sources} COMMENT "Verilating ${name}" VERBATIM)
  add_library(verilated_${name} STATIC ${folder}/V${name}__ALL.cpp)
  target_include_directories(verilated_${name} SYSTEM PUBLIC ${folder} ${tc_verilator_include} ${tc_verilator_include}/vltstd)
  target_compile_definitions(verilated_${name} PRIVATE VM_COVERAGE=0 VM_SC=1 VM_TRACE=$<BOOL:${ARG_TRACE}>)
  # The build of tests is the longer part: at -O1 it compiles these in two thirds of the time.
  target_compile_options(verilated_${name} PRIVATE $<IF:$<CONFIG:Debug>,-O1,-O2> -g0)
  target_link_libraries(verilated_${name} PUBLIC verilated_runtime)
endfunction()
