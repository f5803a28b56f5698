// The non-template part of Boost.Asio, compiled once.
#include <boost/asio/impl/src.hpp>
#include <utility>
