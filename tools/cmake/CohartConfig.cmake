# CohartConfig.cmake - find_package(Cohart) gives the target Cohart::cohart, for the board of toolchain.cmake.
if(NOT COHART_BOARD)
	message(FATAL_ERROR "Cohart: cmake -DCMAKE_TOOLCHAIN_FILE=.../lib/cmake/Cohart/toolchain.cmake -DCOHART_BOARD=...")
endif()
set(CMAKE_EXECUTABLE_SUFFIX .elf)
if(NOT TARGET Cohart::cohart)
	add_library(Cohart::cohart INTERFACE IMPORTED)
	separate_arguments(COHART_COMPILE UNIX_COMMAND "${COHART_COMPILE_FLAGS}")
	separate_arguments(COHART_LINK UNIX_COMMAND "${COHART_LINK_FLAGS}")
	set_target_properties(Cohart::cohart PROPERTIES
		INTERFACE_COMPILE_OPTIONS "${COHART_COMPILE}"
		INTERFACE_LINK_OPTIONS "${COHART_COMPILE};${COHART_LINK}"
		INTERFACE_LINK_LIBRARIES "-Wl,--whole-archive;${COHART_ROOT}/libcohart.a;-Wl,--no-whole-archive;m")
endif()
