"""A libFuzzer target: fuzzed by `tools/test fuzz`, its seeds run by the ordinary suite as well."""

def fuzz_target(name, srcs, seeds, deps, dictionary = None, **kwargs):
    """Makes three targets from a source that defines LLVMFuzzerTestOneInput.

    <name>_corpus_test  every seed through the entry, whole and mutilated; an ordinary test.
    <name>              the fuzzer: bazel run --config=fuzz <name> -- -max_total_time=60 FOLDER
    <name>_run          a minute of it as a test, for `tools/test fuzz`; needs --config=fuzz.

    Args:
      name: ends in "_fuzz".
      srcs: the source with the entry.
      seeds: labels of files to start from.
      deps: what the entry needs.
      dictionary: a file in libFuzzer's format.
      **kwargs: for the entry's library.
    """
    native.cc_library(
        name = name + "_entry",
        testonly = True,
        srcs = srcs,
        alwayslink = True,
        deps = deps,
        **kwargs
    )
    native.cc_test(
        name = name + "_corpus_test",
        size = "medium",
        args = ["$(locations %s)" % seed for seed in seeds],
        data = seeds,
        deps = [
            ":" + name + "_entry",
            "//core/base/testing:fuzz_corpus_test_main",
        ],
    )
    native.cc_binary(
        name = name,
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [":" + name + "_entry"],
    )
    dictionaries = [dictionary] if dictionary else []
    native.sh_test(
        name = name + "_run",
        size = "medium",
        srcs = ["//core/base/testing:fuzz_run.sh"],
        args = ["$(location :%s)" % name] +
               ["-dict=$(location %s)" % label for label in dictionaries] +
               ["--"] +
               ["$(locations %s)" % seed for seed in seeds],
        data = [":" + name] + dictionaries + seeds,
        tags = [
            "fuzz",
            "manual",
        ],
    )
