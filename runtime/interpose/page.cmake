# Writes the page of functions from functions.txt. Run by: cmake -DPAGE=<file to write> [-DLIST=<functions.txt>] -P page.cmake
cmake_minimum_required(VERSION 3.25)
set(COMPILER "") # for the list alone
include("${CMAKE_CURRENT_LIST_DIR}/functions.cmake")

set(text "# Functions

In a phase, and in transparent mode, each function of `mpi.h` is *carried*, *lent* or *native* ([glossary](glossary.md)).
Outside of phases all are native, and receives take what was sent in a phase. A function stands for its form with large
counts as well.

| in a phase | condition | functions |
|---|---|---|
")
foreach(class IN LISTS classes)
  if(DEFINED becomes_${class})
    list(SORT functions_${class})
    list(JOIN functions_${class} ", " names)
    string(APPEND text "| ${becomes_${class}} | ${conditions_${class}} | ${names} |\n")
  endif()
endforeach()
string(APPEND text "
All other functions of `mpi.h` are native.
")
file(WRITE "${PAGE}" "${text}")
