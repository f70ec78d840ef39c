# Debian packages by CPack (scripts/debian_packages): `tcsim` has the program, libtcsim and their data; `libtcsim-dev` what
# a C++ program is built with; `python3-tcsim` the module, where it is built. The component `library`, which has a prefix of
# its own (docs/library.md), goes into none.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "whoever built it <root@localhost>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL Unspecified runtime development)
set(CPACK_COMPONENT_UNSPECIFIED_GROUP program)
set(CPACK_COMPONENT_RUNTIME_GROUP program)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(same "tcsim (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tcsim)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libtcsim-dev, python3-tcsim")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "cycle-level simulator of tensor-core GPUs
 A machine comes from YAML, a workload becomes kernels, the kernels run on models of SMs, tensor cores and memory; the
 answer is cycles, rates and reasons.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtcsim-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "cycle-level simulator of tensor-core GPUs: for C++ programs
 Headers and a CMake package for programs that simulate with libtcsim.")

if(TARGET tcsim_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_COMPONENT_PYTHON_GROUP python)
  get_target_property(python_depends tcsim_python TC_DEBIAN_DEPENDS)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tcsim)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${same}, ${python_depends}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, python3-pandas")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "cycle-level simulator of tensor-core GPUs: for Python
 The module tcsim: runs, sweeps and peaks as dataclasses and frames of pandas.")
endif()

foreach(package IN ITEMS tcsim:runtime libtcsim-dev:development python3-tcsim:python)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 name)
  list(GET package 1 component)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${name} RENAME copyright COMPONENT ${component}
          EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
