#pragma once

#include "app/config/field.h"

namespace lethe::config {

// model.classes: null, a number, or a list of names.
Field DescribeClasses();

}  // namespace lethe::config
