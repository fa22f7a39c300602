#include "pool.h"

static int pool_ready;
