#include <mpi_helper.h>
