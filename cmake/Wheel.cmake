# What a wheel holds beside the Python package (pyproject.toml): scikit-build-core says where its parts go. With
# -DGPUMEM_BUILT=FOLDER the program is not compiled again: the one that was built there is taken.
include_guard()

set(component COMPONENT wheel)
if(GPUMEM_BUILT)
  install(PROGRAMS "${GPUMEM_BUILT}/gpumem" DESTINATION "${SKBUILD_SCRIPTS_DIR}" ${component})
  install(FILES "${GPUMEM_BUILT}/libgpumem_inject.so" DESTINATION "${SKBUILD_DATA_DIR}/lib/gpumem" OPTIONAL ${component})
else()
  install(TARGETS gpumem RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" ${component})
  if(TARGET gpumem_inject)
    install(TARGETS gpumem_inject LIBRARY DESTINATION "${SKBUILD_DATA_DIR}/lib/gpumem" ${component})
  endif()
endif()
install(DIRECTORY report/plotting DESTINATION "${SKBUILD_PLATLIB_DIR}/gpumem" ${component} PATTERN __pycache__ EXCLUDE)
set(data "${SKBUILD_DATA_DIR}/share/gpumem")
install(DIRECTORY configs DESTINATION "${data}" ${component} FILES_MATCHING PATTERN "*.json" PATTERN reference EXCLUDE)
install(DIRECTORY report/schema DESTINATION "${data}" ${component} FILES_MATCHING PATTERN "*.json")
