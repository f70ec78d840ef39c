# tc_test_suites(<program> [LABELS <label>...] [ENVIRONMENT <NAME=value>...] [COST <seconds>]): each suite of a GoogleTest
# program is one test of CTest, with the suite's name (behind "Long." where the label is `long`). A process for each of
# thousands of tests of milliseconds would be most of their time. Suites are listed after linking.
set(tc_suites_script ${CMAKE_CURRENT_LIST_DIR}/list_suites.cmake)

function(tc_test_suites program)
  cmake_parse_arguments(ARG "" "COST" "LABELS;ENVIRONMENT" ${ARGN})
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
  add_custom_command(TARGET ${program} POST_BUILD VERBATIM BYPRODUCTS ${list}
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D FOLDER=${CMAKE_CURRENT_BINARY_DIR} -D LIST=${list}
            -D "LABELS=${ARG_LABELS}" -D "ENVIRONMENT=${ARG_ENVIRONMENT}" -D "COST=${ARG_COST}" -P ${tc_suites_script})
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}_include.cmake)
  file(WRITE ${include} "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n  add_test(${program}_NOT_BUILT ${program}_NOT_BUILT)\n  set_tests_properties(${program}_NOT_BUILT PROPERTIES LABELS \"${ARG_LABELS}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()

# tc_python_test(<name> LABELS <label>... SCRIPT <file> [<argument>...] [TIMEOUT <seconds>] [COST <seconds>] [SKIPS]): a script
# of the current folder as a test of CTest. SKIPS: status 77 says that what it needs is missing.
function(tc_python_test name)
  cmake_parse_arguments(ARG "SKIPS" "TIMEOUT;COST" "LABELS;SCRIPT" ${ARGN})
  add_test(NAME ${name} COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  foreach(property TIMEOUT COST)
    if(ARG_${property})
      set_tests_properties(${name} PROPERTIES ${property} ${ARG_${property}})
    endif()
  endforeach()
  if(ARG_SKIPS)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()
