# The compile settings that every target of this project shares, and nothing of a consumer's.
add_library(mpi_helper_options INTERFACE)
target_compile_features(mpi_helper_options INTERFACE cxx_std_20 c_std_99)
target_compile_definitions(mpi_helper_options INTERFACE OMPI_SKIP_MPICXX) # the C++ interface, which MPI-3 removed
if(MPI_HELPER_DEVELOPER)
  target_compile_options(mpi_helper_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
  if(NOT CMAKE_UNITY_BUILD) # where what one file declares is seen by those that follow
    target_compile_options(mpi_helper_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wshadow>)
  endif()
  # A compiler cache's precompiled header is right whatever times its files have in this checkout.
  target_compile_options(mpi_helper_options INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
if(MPI_HELPER_SANITIZE)
  target_compile_options(mpi_helper_options INTERFACE
    -fsanitize=${MPI_HELPER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -O1 # half the time that -O2 takes to compile
    # What sanitizers add misleads it; and TSan does not understand fences, on which nothing but wake-ups depends.
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-tsan>")
  target_link_options(mpi_helper_options INTERFACE -fsanitize=${MPI_HELPER_SANITIZE})
endif()

# helper_layer(NAME <folder of runtime/> SOURCES <files> [NEEDS <layers below>] [LINK <libraries>] [DEFINES_MPI])
# One folder of runtime/ as a static library, of whose objects the library proper is made. Its name is helper_<folder>,
# with _ for each /. NEEDS names the layers it may call, which is how the arrows of docs/design.md stay downward.
# DEFINES_MPI: it defines functions that mpi.h declares.
function(helper_layer)
  cmake_parse_arguments(layer "DEFINES_MPI" "NAME" "SOURCES;NEEDS;LINK" ${ARGN})
  list(TRANSFORM layer_NAME REPLACE "/" "_")
  list(TRANSFORM layer_NEEDS REPLACE "/" "_")
  add_library(helper_${layer_NAME} STATIC ${layer_SOURCES})
  list(TRANSFORM layer_NEEDS PREPEND helper_)
  target_include_directories(helper_${layer_NAME} PUBLIC "${PROJECT_SOURCE_DIR}/runtime")
  target_link_libraries(helper_${layer_NAME} PUBLIC Threads::Threads ${layer_NEEDS} ${layer_LINK}
                                             PRIVATE mpi_helper_options)
  # Hidden by default: only what the version script names is visible. Initial-exec: the in-phase test is one load.
  set_target_properties(helper_${layer_NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(helper_${layer_NAME} PRIVATE -ftls-model=initial-exec -fno-plt)
  if(layer_DEFINES_MPI)
    # MPICH's mpi.h declares its functions with the compiler's default visibility, which must therefore not be hidden
    # where they are defined, as it is in the precompiled headers; exports.map decides what is shown.
    set_target_properties(helper_${layer_NAME} PROPERTIES CXX_VISIBILITY_PRESET default DISABLE_PRECOMPILE_HEADERS ON)
  endif()
  # Standard headers, which took a third of the time to compile: once, for all layers.
  get_property(layers GLOBAL PROPERTY MPI_HELPER_LAYERS)
  if(layers)
    list(GET layers 0 first)
    target_precompile_headers(helper_${layer_NAME} REUSE_FROM ${first})
  else()
    target_precompile_headers(helper_${layer_NAME} PRIVATE <algorithm> <array> <atomic> <functional> <map> <memory> <mutex>
                                                           <optional> <span> <string> <unordered_map> <vector>)
  endif()
  set_property(GLOBAL APPEND PROPERTY MPI_HELPER_LAYERS helper_${layer_NAME})
endfunction()
