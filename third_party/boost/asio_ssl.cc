// The non-template part of Boost.Asio's TLS streams, compiled once.
#include <boost/asio/ssl/impl/src.hpp>
#include <utility>
