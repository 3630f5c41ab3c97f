# CohartConfig.cmake - find_package(Cohart) gives the target Cohart::cohart, for the board of toolchain.cmake.
if(NOT COHART_BOARD)
	message(FATAL_ERROR "Cohart: cmake -DCMAKE_TOOLCHAIN_FILE=.../lib/cmake/Cohart/toolchain.cmake -DCOHART_BOARD=...")
endif()
set(CMAKE_EXECUTABLE_SUFFIX .elf)
if(NOT TARGET Cohart::cohart)
	add_library(Cohart::cohart INTERFACE IMPORTED)
	foreach(what compile link) # words first, so that a path may have blanks
		separate_arguments(words UNIX_COMMAND "${COHART_${what}}")
		string(REPLACE "@" "${COHART_ROOT}" COHART_${what}_words "${words}")
	endforeach()
	set_target_properties(Cohart::cohart PROPERTIES
		INTERFACE_COMPILE_OPTIONS "${COHART_compile_words}"
		INTERFACE_LINK_OPTIONS "${COHART_compile_words};${COHART_link_words}"
		INTERFACE_LINK_LIBRARIES "-Wl,--whole-archive;${COHART_ROOT}/libcohart_board.a;-Wl,--no-whole-archive;-Wl,--start-group;${COHART_ROOT}/libcohart.a;-lc;-lm;-Wl,--end-group")
endif()

# cohart_add_test(TARGET [OPTIONS...]): each case of an executable with cohart/test.h is a test of ctest, TARGET.case.
# The options are cohart-test's: --harts 2,5. The list of cases is read from the image when it has been built.
function(cohart_add_test target)
	set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}.cases.cmake")
	add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND}
		"-DCOHART_TEST=${Cohart_DIR}/../../../bin/cohart-test" "-DTARGET=${target}"
		"-DIMAGE=$<TARGET_FILE:${target}>" "-DOPTIONS=${ARGN}" "-DLIST=${list}" -P "${Cohart_DIR}/CohartCases.cmake")
	file(WRITE "${list}.in" "if(EXISTS \"${list}\")\n\tinclude(\"${list}\")\nelse()\n"
		"\tadd_test(${target}.not_built ${target}.not_built)\nendif()\n")
	set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${list}.in")
endfunction()
