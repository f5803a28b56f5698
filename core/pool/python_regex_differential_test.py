"""Asks Python's own `re` and ours the same questions, and lists where the answers differ.

usage: python_regex_differential_test.py PROBE [COUNT [SEED]]

Expressions come from a grammar of Python's syntax, some of them damaged at random; names from the
letters that the expressions use. Compared: whether an expression is taken, the words of the error,
and re.search on every name. What ours says it does not support is not a difference, but counted.
"""

import random
import re
import signal
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")

ATOMS = list("aabbccAB-_.19") + ["\\d", "\\w", "\\s", "\\D", "\\W", "\\S", ".", "\\.", "\\-", "ab",
         "[ab]", "[^ab]", "[a-c]", "[^a-c1-3]", "[\\w-]", "[^\\W_]", "[]a]", "[^]a]", "[a-]", "[\\d\\-b]",
         "[[:alpha:]]", "[\\S]", "[^\\S]", "[\\Wa]", "[A-Z]", "\\x61", "\\u0062", "\\U00000063", "\\141",
         "\\0", "\\n", "é", "k", "\u212a", "ß", "İ", "ı", "i", "s", "ſ", "[i-k]", "\\\\", "/", "@", "{",
         "}", "]", ",", "[\\x41-\\x43]", "[\\b]", "[é-ü]", "µ"]
ANCHORS = ["^", "$", "\\A", "\\Z", "\\b", "\\B"]
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "{,}", "{0}", "{3}", "{0,3}"]
ODD_QUANTIFIERS = ["{2,1}", "{a}", "{1", "{}", "{70000}"]
GROUPS = ["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:", "(?s:", "(?m:", "(?x:",
          "(?a:", "(?u:", "(?i-s:", "(?ai:", "(?P<n>", "(?P<m>"]
REFERENCES = ["\\1", "\\2", "(?P=n)", "(?P=m)", "\\3"]
GLOBALS = ["(?i)", "(?s)", "(?m)", "(?x)", "(?a)", "(?u)", "(?im)", "(?si)", "(?L)", "(?ai)"]
ODDITIES = ["(?P>n)", "(?<n>a)", "\\Q", "\\K", "\\p{L}", "\\h", "(*ACCEPT)", "\\R", "(?|a|b)", "(?i)",
            "\\z", "\\G", "(?#note)", "(?#", "#x\n", " ", "(?", "(?P", "(?P<", "(?P<1>a)", "(?(1)a|b)",
            "(?(n)a|b)", "(?(2)a)", "(?(1)a|b|c)", "(?(0)a)", "(?(9)a)", "(?-a:b)", "(?i-i:a)", "(?q)",
            "(?-)", "(?i", "(?-:a)", "[a", "[b-a]", "[\\d-z]", "[^", "\\x4", "\\u12", "\\8", "\\400",
            "[\\8]", "[\\400]", "(?+1)", "(?R)", "(?1)", "\\Z*", "++", "**", "|", ")", "(", "()", "(?:)",
            "[\\Z]", "\\N{DIGIT ONE}", "(?t)", "\n", "\\\n", "(?<a)", "[a-\\w]", "(?<=a+)", "(?<=a|bc)"]
LETTERS = "aaabbbcccABC-_.1239 \nikIKsSéÉ\u212aßẞİıſµμ/@{}]\\\x00\u0660,[:"


def expression(rng, depth):
    branches = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        pieces = []
        for _ in range(rng.randint(0 if depth else 1, 4)):
            pieces.append(piece(rng, depth))
        branches.append("".join(pieces))
    return "|".join(branches)


def piece(rng, depth):
    roll = rng.random()
    if roll < 0.55 or (depth > 3 and roll < 0.8):
        text = rng.choice(ATOMS)
    elif roll < 0.63:
        return rng.choice(ANCHORS)
    elif roll < 0.66:
        text = rng.choice(REFERENCES)
    elif roll < 0.67:
        return rng.choice(ODDITIES)
    elif roll < 0.69:
        no = "|" + expression_branch(rng, depth) if rng.random() < 0.7 else ""
        text = "(?(%s)%s%s)" % (rng.choice("12n"), expression_branch(rng, depth), no)
    else:
        text = rng.choice(GROUPS) + expression(rng, depth + 1) + ")"
    if rng.random() < 0.35:
        text += rng.choice(ODD_QUANTIFIERS if rng.random() < 0.03 else QUANTIFIERS) + rng.choice(["", "", "", "?", "+"])
    return text


def expression_branch(rng, depth):
    return "".join(piece(rng, depth + 1) for _ in range(rng.randint(0, 2)))


def damaged(rng, text):
    if not text:
        return text
    at = rng.randrange(len(text))
    choice = rng.randrange(3)
    if choice == 0:
        return text[:at] + text[at + 1:]
    if choice == 1:
        return text[:at] + rng.choice("()[]{}?*+|\\^$.<>=!:-,P1ix#") + text[at:]
    return text[:at]


def name(rng):
    return "".join(rng.choice(LETTERS) for _ in range(rng.choice((0, 1, 2, 3, 4, 6, 9))))


def hexed(text):
    return text.encode().hex() or "-"


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong()


def ask_python(pattern, names):
    """Python has no limits of its own: "?" where it takes too long."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, ValueError) as problem:
        return "error " + str(problem)
    return "".join(search(compiled, each) for each in names)


def search(compiled, text):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            return "1" if compiled.search(text) else "0"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TooLong:
        return "?"


def ask_ours(probe, questions):
    lines = [" ".join(map(hexed, [pattern] + names)) + "\n" for pattern, names in questions]
    answers = subprocess.run([probe], input="".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    return answers.stdout.decode().splitlines()


def unescaped(text):
    return text.encode().decode("unicode_escape").encode("latin1").decode("utf-8", "replace")


def agree(python, ours):
    """True, False, or None where ours says that it cannot tell."""
    if ours.startswith("unsupported "):
        return None
    if python.startswith("error ") or ours.startswith("error "):
        return python == unescaped(ours)
    if len(python) != len(ours):
        return False
    pairs = [(p, o) for p, o in zip(python, ours) if o in "01" and p != "?"]
    return all(p == o for p, o in pairs) if pairs or not python else None


def main():
    probe = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20260711
    if sys.version_info[:2] != (3, 11):
        print("the rules are Python 3.11's; this is %s.%s: skipped" % sys.version_info[:2])
        return 0
    signal.signal(signal.SIGALRM, give_up)
    rng = random.Random(seed)
    questions = [(text, [name(rng) for _ in range(12)]) for text in ODDITIES]
    while len(questions) < count:
        text = expression(rng, 0)
        if rng.random() < 0.1:
            text = rng.choice(GLOBALS) + text
        if rng.random() < 0.15:
            text = damaged(rng, text)
        questions.append((text, [name(rng) for _ in range(12)]))
    tally = {"taken": 0, "refused": 0, "unsupported": 0, "different": 0}
    for (pattern, names), ours in zip(questions, ask_ours(probe, questions), strict=True):
        python = ask_python(pattern, names)
        verdict = agree(python, ours)
        if verdict is None:
            tally["unsupported"] += 1
            continue
        tally["refused" if python.startswith("error ") else "taken"] += 1
        if not verdict:
            tally["different"] += 1
            if tally["different"] <= 25:
                print("%r on %r\n  python: %s\n  ours:   %s" % (pattern, names, python, ours))
    print("seed %d, %d expressions: %s" % (seed, len(questions), tally))
    few = tally["unsupported"] * 20 > len(questions) or tally["taken"] * 4 < len(questions)
    return 1 if tally["different"] or few else 0


if __name__ == "__main__":
    sys.exit(main())
