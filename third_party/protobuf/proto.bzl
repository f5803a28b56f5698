"""C++ from .proto files with the protoc that Debian packages."""

def proto_cc_library(name, srcs, deps = [], visibility = None, testonly = None):
    """A cc_library of the code that protoc generates from srcs.

    Files import each other by their path from the repository root ("proto/job.proto"), in .proto
    files as in C++ ("proto/job.pb.h"). Works from another workspace that imports this one, too.

    Args:
      name: the library.
      srcs: .proto files of this package.
      deps: other proto_cc_libraries of the same package whose files srcs import, as ":name".
      visibility: of the library.
      testonly: of the library.
    """
    for src in srcs:
        if not src.endswith(".proto"):
            fail("want .proto files, got " + src)
    for dep in deps:
        if not dep.startswith(":"):
            fail("want a proto_cc_library of this package, got " + dep)
    stems = [src[:-len(".proto")] for src in srcs]
    headers = [stem + ".pb.h" for stem in stems]
    sources = [stem + ".pb.cc" for stem in stems]

    native.filegroup(
        name = name + "_protos",
        srcs = srcs + [dep + "_protos" for dep in deps],
        testonly = testonly,
    )

    # $(RULEDIR) is the package's output folder; protoc writes below the repository's, so the
    # package's path is cut off, and likewise from the folder of the sources.
    package = native.package_name()
    native.genrule(
        name = name + "_protoc",
        srcs = srcs + [dep + "_protos" for dep in deps],
        outs = headers + sources,
        cmd = "\n".join([
            "first=$(location %s)" % srcs[0],
            "source_root=$${first%%%s/%s}" % (package, srcs[0]),
            "output_root=$(RULEDIR); output_root=$${output_root%%%s}" % package,
            "protoc --proto_path=$${source_root:-.} --cpp_out=$$output_root " +
            " ".join(["$(location %s)" % src for src in srcs]),
        ]),
        testonly = testonly,
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        # The generator's code, not ours.
        copts = ["-w"],
        visibility = visibility,
        testonly = testonly,
        deps = deps + ["//third_party/protobuf"],
    )
