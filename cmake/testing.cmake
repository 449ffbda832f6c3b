# Builds the tests with THREADS, for ThreadSanitizer.
add_custom_target(threaded_tests)

# How tests are compiled, for all of them to have the same headers precompiled. What takes long, and longer than the tests, is
# optimisation, with a sanitizer above all, and UndefinedBehaviorSanitizer, which looks at the library alone.
add_library(test_options INTERFACE)
target_include_directories(test_options INTERFACE "${PROJECT_SOURCE_DIR}/tests")
target_compile_options(test_options INTERFACE $<$<CONFIG:RelWithDebInfo>:-O1> -fno-sanitize=undefined)
if(MPI_HELPER_SANITIZE)
  target_compile_options(test_options INTERFACE -O0)
endif()
# Each has the library's objects in it, which GNU's other linker puts together in half the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold MPI_HELPER_HAS_GOLD)
if(MPI_HELPER_HAS_GOLD)
  target_link_options(test_options INTERFACE -fuse-ld=gold)
endif()
function(helper_test_options target)
  # In this order, which is that of the options.
  target_link_libraries(${target} PRIVATE mpi_helper_options test_options Catch2::Catch2 fmt::fmt Threads::Threads)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# Open MPI's launcher starts, for root, too, as many ranks of this machine as a test wants, and binds none. Each version has its own
# variables for that, and complains of those of others. bench/run reads them from open_mpi.env, and CTest from open_mpi.cmake, first. In
# tests ranks that wait give their processors away besides, as test_yield has MPICH's do: a rank that others keep from running is waited
# for at each of thousands of calls.
set(launcher "${MPIEXEC_EXECUTABLE}")
if(OPEN_MPI_LAUNCHER)
  set(launcher "${OPEN_MPI_LAUNCHER}")
endif()
execute_process(COMMAND "${launcher}" --version OUTPUT_VARIABLE version ERROR_QUIET)
if(version MATCHES "Open MPI\\) 5")
  set(variables PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none)
elseif(version MATCHES "Open MPI\\)")
  set(variables PRTE_MCA_mapby=:oversubscribe PRTE_MCA_bindto=none)
else()
  set(variables OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none)
endif()
list(APPEND variables OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_tcp_if_include=lo)
list(JOIN variables "\n" settings)
file(WRITE "${PROJECT_BINARY_DIR}/open_mpi.env" "${settings}\n")
list(APPEND variables OMPI_MCA_mpi_yield_when_idle=1)
list(TRANSFORM variables REPLACE "(.+)=(.+)" "set(ENV{\\1} \\2)\n" OUTPUT_VARIABLE settings)
list(JOIN settings "" settings)
file(WRITE "${PROJECT_BINARY_DIR}/open_mpi.cmake" "${settings}")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY TEST_INCLUDE_FILES "${PROJECT_BINARY_DIR}/open_mpi.cmake")

# The whole library as objects, beside which PMPI_X is MPI's own: what the tests compare with. The shared library has PMPI_X of its own.
add_library(test_library INTERFACE)
get_property(layers GLOBAL PROPERTY MPI_HELPER_LAYERS)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
target_sources(test_library INTERFACE ${objects})
target_include_directories(test_library INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(test_library INTERFACE MPI::MPI_C PkgConfig::hwloc Threads::Threads)

# helper_test(NAME <folder.what> SOURCES <files>
#             [LAYERS <layers>]          link these folders of runtime/ alone; otherwise test_library
#             [RANKS <n>...]             run under mpiexec with each of these rank counts; otherwise as a plain program
#             [TEAMS <n>...]             … and each of these team sizes, which the test reads by test_support::team_size()
#             [LEVELS <level>...]        … and each of these thread levels (single funneled serialized multiple)
#             [TRANSPARENT <threads>...] … and in transparent mode with these sizes of the team (MPI_HELPER_THREADS)
#             [ALSO <n>.team<size>|<n>.transparent<threads>...]   and so, with n ranks
#             [THREADS]                  it starts threads, and no MPI, which ThreadSanitizer cannot see into
#             [TIMEOUT <seconds>])       of each run; 120 by default
# One line registers a test in all its sizes. The runs with RANKS have the label "mpi", those with THREADS "threads".
function(helper_test)
  cmake_parse_arguments(test "THREADS" "NAME;TIMEOUT" "SOURCES;LAYERS;RANKS;TEAMS;LEVELS;TRANSPARENT;ALSO" ${ARGN})
  set(defaults_TIMEOUT 120)
  set(defaults_TEAMS 1)
  set(defaults_LEVELS funneled)
  foreach(option TIMEOUT TEAMS LEVELS)
    if(NOT test_${option})
      set(test_${option} ${defaults_${option}})
    endif()
  endforeach()

  string(REPLACE "." "_" target "test_${test_NAME}")
  add_executable(${target} ${test_SOURCES})
  helper_test_options(${target})
  target_precompile_headers(${target} REUSE_FROM test_plain_main)
  if(test_LAYERS)
    # All intercepted functions, whoever refers to them first.
    if("interpose" IN_LIST test_LAYERS AND NOT "$<TARGET_OBJECTS:helper_interpose>" IN_LIST test_SOURCES)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:helper_interpose>)
    endif()
    list(TRANSFORM test_LAYERS REPLACE "/" "_")
    list(TRANSFORM test_LAYERS PREPEND helper_)
    target_link_libraries(${target} PRIVATE ${test_LAYERS})
  else()
    target_link_libraries(${target} PRIVATE test_library)
  endif()

  if(NOT test_RANKS)
    target_link_libraries(${target} PRIVATE test_plain_main)
    add_test(NAME ${test_NAME} COMMAND ${target})
    set_tests_properties(${test_NAME} PROPERTIES TIMEOUT ${test_TIMEOUT})
    if(test_THREADS)
      add_dependencies(threaded_tests ${target})
      set_tests_properties(${test_NAME} PROPERTIES LABELS threads)
    endif()
    return()
  endif()

  target_link_libraries(${target} PRIVATE test_mpi_main MPI::MPI_CXX)
  list(TRANSFORM test_TEAMS PREPEND "team")
  list(TRANSFORM test_TRANSPARENT PREPEND "transparent")
  foreach(ranks ${test_RANKS})
    foreach(size ${test_TEAMS} ${test_TRANSPARENT})
      list(APPEND test_ALSO ${ranks}.${size})
    endforeach()
  endforeach()
  foreach(level ${test_LEVELS})
    foreach(sizes ${test_ALSO})
      string(REGEX MATCH "^([0-9]+)\\.(team|transparent)([0-9]+)$" matched ${sizes})
      if(CMAKE_MATCH_2 STREQUAL "team")
        set(mode "TEST_TEAM_SIZE=${CMAKE_MATCH_3}")
      else()
        set(mode "TEST_TEAM_SIZE=0;MPI_HELPER_THREADS=${CMAKE_MATCH_3}")
      endif()
      helper_test_run(${target} ${test_NAME}.ranks${sizes}.${level} ${CMAKE_MATCH_1} ${CMAKE_MATCH_3} ${test_TIMEOUT}
                      "${mode};TEST_THREAD_LEVEL=${level}")
    endforeach()
  endforeach()
endfunction()

# One run of an MPI program as a CTest, with the processors that it occupies.
function(helper_test_run target name ranks threads timeout environment)
  math(EXPR processors "${ranks} * ${threads}")
  add_test(NAME ${name} COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} PROCESSORS ${processors} LABELS mpi
                                          ENVIRONMENT "${environment}")
endfunction()
