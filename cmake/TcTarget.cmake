# Compile options shared by every target, as one interface library, and the two ways to declare a target.

add_library(tc_options INTERFACE)
target_include_directories(tc_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tc_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                            -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 at -O3 on std::string and on aggregates with vectors (GCC bugs 105651, 105562).
  target_compile_options(tc_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(tc_options INTERFACE -march=x86-64-v2)  # POPCNT; every x86 server since 2009
endif()
if(TC_WERROR)
  target_compile_options(tc_options INTERFACE -Werror)
endif()
if(TC_SANITIZE)
  target_compile_options(tc_options INTERFACE -fsanitize=${TC_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(tc_options INTERFACE -fsanitize=${TC_SANITIZE})
endif()
if(TC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TC_FUZZ needs Clang (CXX=clang++), this is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  target_compile_options(tc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TC_COVERAGE)
  target_compile_options(tc_options INTERFACE --coverage)
  target_link_options(tc_options INTERFACE --coverage)
endif()

# Files of a target are compiled in batches: most of the time of a file goes to the headers that it shares with its
# neighbours. Names in unnamed namespaces are therefore unique in a target; a template there must not bear the name of a
# function in a header, whose calls in other files it would take. -DTC_UNITY_FILES=1 compiles file by file.
function(tc_compile_in_batches name)
  if(TC_UNITY_FILES GREATER 1)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${TC_UNITY_FILES})
  endif()
endfunction()

# Files of the current folder that are compiled by themselves, so that the recipes of docs/extend.md can be tried by
# compiling these again and linking (tests/extend/program_recipe_test.py).
function(tc_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tc_library(<name> SOURCES <file>... DEPENDS <target>...): one static library, one folder, one layer.
function(tc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tc_options ${ARG_DEPENDS})
  tc_compile_in_batches(${name})
endfunction()

# tc_test(<name> LABELS <label>... SOURCES <file>... DEPENDS <target>... [HELPERS <file>...] [COST <seconds>]): one GoogleTest
# program, whose suites are tests of CTest. HELPERS compute for long (references, plain models) and are
# optimised. `unit` is a part by itself, `system` whole kernels, chips or the program; `long` what scripts/test leaves out: the
# target `occasional` builds it, and the benchmarks. Suites of many seconds have their COST, by which CTest begins with them:
# at the end they would leave processors idle.
function(tc_test name)
  cmake_parse_arguments(ARG "" "COST" "SOURCES;HELPERS;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_HELPERS)
    add_library(${name}_helpers OBJECT ${ARG_HELPERS})
    target_link_libraries(${name}_helpers PRIVATE tc_options ${ARG_DEPENDS} GTest::gmock)
    tc_compile_in_batches(${name}_helpers)
    target_link_libraries(${name} PRIVATE ${name}_helpers)
  endif()
  target_link_libraries(${name} PRIVATE tc_options ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  # Assertions are most of such a program and its compilation most of the build: a quarter of the time without optimising.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-O0>)
  tc_compile_in_batches(${name})
  tc_test_suites(${name} LABELS ${ARG_LABELS} COST ${ARG_COST})
  if("long" IN_LIST ARG_LABELS)
    tc_occasional(${name})
    if(ARG_HELPERS)
      tc_occasional(${name}_helpers)
    endif()
  endif()
endfunction()

# tc_add_tests(<name> SOURCES <file>... DEPENDS <target>...): further tests of a program, from another folder. Headers and the
# linker would take most of the time of programs of their own. Small parts are in `small_test`, commands in `cli_test`.
function(tc_add_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(${name} PRIVATE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
endfunction()

# Programs that only the target `occasional` builds.
function(tc_occasional)
  if(NOT TARGET occasional)
    add_custom_target(occasional)
  endif()
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(occasional ${ARGN})
endfunction()
