// Pins Apptainer: tools/testenv/apptainer reads the version here and Go checks it against go.sum.
module podferry/testenv/apptainer

go 1.19

require github.com/apptainer/apptainer v1.4.3
