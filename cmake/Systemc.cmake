# Debian's SystemC 2.3.4 is built as C++17 and ships pkg-config only. A C++20 program links against it
# when SC_CPLUSPLUS names the library's own standard. Both facts are hidden in the target `systemc`.
find_library(SYSTEMC_LIBRARY systemc REQUIRED)
find_path(SYSTEMC_INCLUDE_DIR systemc REQUIRED)
find_package(Threads REQUIRED)
add_library(systemc INTERFACE)
target_include_directories(systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE_DIR})
target_compile_definitions(systemc INTERFACE SC_CPLUSPLUS=201703L)
target_link_libraries(systemc INTERFACE ${SYSTEMC_LIBRARY} Threads::Threads)
