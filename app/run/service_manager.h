#pragma once

#include <systemd/sd-daemon.h>

#include <string>

namespace lethe {

// Tells systemd about a service with `Type=notify`. Does nothing if the process was not started by
// systemd.
inline void TellServiceManager(const std::string& state) { sd_notify(0, state.c_str()); }

}  // namespace lethe
