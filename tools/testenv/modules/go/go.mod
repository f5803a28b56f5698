// Pins a Go for machines without a recent one: a module like any other, as big as a whole Go.
module podferry/testenv/go

go 1.19

require golang.org/toolchain v0.0.1-go1.26.3.linux-amd64
