"""Text files as constants of a C++ source."""

def embed_texts(name, header, namespace, texts):
    """A source file that defines `const absl::string_view` for each text.

    Args:
      name: of the target and, with .cc, of the file.
      header: the header that declares the constants.
      namespace: theirs.
      texts: constant -> file.
    """
    parts = ["echo '#include \"%s\"'; echo 'namespace %s {'" % (header, namespace)]
    for constant, text in sorted(texts.items()):
        parts.append("printf 'const absl::string_view %s = R\"TEXT('; cat $(location %s); echo ')TEXT\";'" %
                     (constant, text))
    parts.append("echo '}'")
    native.genrule(
        name = name,
        srcs = texts.values(),
        outs = [name + ".cc"],
        cmd = "{ " + "; ".join(parts) + "; } >$@",
    )
