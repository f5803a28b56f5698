// The non-template part of Boost.Beast, compiled once.
#include <boost/beast/src.hpp>
#include <utility>
