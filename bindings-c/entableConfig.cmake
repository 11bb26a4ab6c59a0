# find_package(entable CONFIG REQUIRED), then one of
#   entable::entable  the C API, shared
#   entable::static   the C API, static
#   entable::cxx      the C++ API, and the C API with it, static
# One of them only: two copies of the store in a program could open the same file twice.

get_filename_component(_entable_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT TARGET entable::entable)
  add_library(entable::entable SHARED IMPORTED)
  set_target_properties(entable::entable PROPERTIES
    IMPORTED_LOCATION "${_entable_prefix}/lib/libentable.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_entable_prefix}/include")

  add_library(entable::static STATIC IMPORTED)
  set_target_properties(entable::static PROPERTIES
    IMPORTED_LOCATION "${_entable_prefix}/lib/libentable.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_entable_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")

  add_library(entable::cxx STATIC IMPORTED)
  set_target_properties(entable::cxx PROPERTIES
    IMPORTED_LOCATION "${_entable_prefix}/lib/libentable_cxx.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES "CXX"
    INTERFACE_COMPILE_FEATURES "cxx_std_17"
    INTERFACE_INCLUDE_DIRECTORIES "${_entable_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()

unset(_entable_prefix)
