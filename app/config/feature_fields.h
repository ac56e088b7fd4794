#pragma once

#include "app/config/field.h"

namespace lethe::config {

// features.cross: a list of pairs of namespaces.
Field DescribeCross();

// features.scale: null, or the path of a file of means and deviations. The file is read with the
// configuration, so that a daemon needs it at its start only.
Field DescribeScale();

}  // namespace lethe::config
