// Loopback ports for servers that tests start.

#ifndef PODFERRY_CORE_OS_TESTING_FREE_PORT_H_
#define PODFERRY_CORE_OS_TESTING_FREE_PORT_H_

namespace podferry {

// A TCP port that nothing listens on at 127.0.0.1. Somebody else may take it before you do: have
// servers bind port 0 themselves where they can.
int PickFreePort();

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_FREE_PORT_H_
