#!/usr/bin/env python3
"""Counts the test cases of a "bazel test" from its build events.

  test_results.py EVENTS.json

EVENTS.json is what --build_event_json_file wrote. Prints a line for each test case that failed, that
was skipped (it counts as neither) and each target that did not build, then "N passed, N failed". Cases,
not targets: a target that dies without a report, or does not build, is one failure.
"""

import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree

SOURCE_LINE = re.compile(r"\S+\.(cc|h):\d+$")


def reason_of(case):
    """What GTEST_SKIP() said, in one line, without the place in the source."""
    element = case.find("skipped")
    if element is None:
        return "disabled"
    lines = (element.get("message") or element.text or "").split("\n")
    return " ".join(line.strip() for line in lines if not SOURCE_LINE.match(line)) or "no reason"


def count_cases(path):
    """(passed, names of failed, names of skipped and why) of a test.xml."""
    passed, failed, skipped = 0, [], []
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname') or ''}.{case.get('name') or ''}".strip(".")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.get("status") == "notrun" or case.get("result") in ("skipped", "suppressed"):
            skipped.append(f"{name}: {reason_of(case)}")
        else:
            passed += 1
    return passed, failed, skipped


def read_events(lines):
    """Targets by label: the test.xml paths of each, and whether it passed.

    Returns ({label: [path]}, {label: passed}). A target that did not build has no paths.
    """
    reports, verdicts = {}, {}
    for line in lines:
        if not line.strip():
            continue
        event = json.loads(line)
        identity = event.get("id", {})
        if "testResult" in identity:
            label = identity["testResult"]["label"]
            for output in event.get("testResult", {}).get("testActionOutput", []):
                uri = urllib.parse.urlparse(output.get("uri", ""))
                if output.get("name") == "test.xml" and uri.scheme == "file":
                    reports.setdefault(label, []).append(urllib.parse.unquote(uri.path))
        elif "testSummary" in identity:
            label = identity["testSummary"]["label"]
            status = event.get("testSummary", {}).get("overallStatus")
            verdicts[label] = status in ("PASSED", "FLAKY")
        elif "targetCompleted" in identity:
            if not event.get("completed", {}).get("success", False):
                verdicts.setdefault(identity["targetCompleted"]["label"], False)
    return reports, verdicts


def summarize(reports, verdicts):
    """(passed, [line for each failure], [line for each skipped case])."""
    passed, failures, skipped = 0, [], []
    for label, good in sorted(verdicts.items()):
        failed_here = []
        for path in reports.get(label, []):
            try:
                some_passed, some_failed, some_skipped = count_cases(path)
            except (OSError, xml.etree.ElementTree.ParseError):
                continue
            passed += some_passed
            failed_here += some_failed
            skipped += [f"{label}: {name}" for name in some_skipped]
        failures += [f"{label}: {name}" for name in failed_here]
        if not good and not failed_here:
            why = "died without a report" if label in reports else "did not build or run"
            failures.append(f"{label}: {why}")
    return passed, failures, skipped


def main(path):
    with open(path, encoding="utf-8") as file:
        passed, failures, skipped = summarize(*read_events(file))
    for failure in failures:
        print(f"FAILED {failure}")
    for case in skipped:
        print(f"not run: {case}")
    print(f"{passed} passed, {len(failures)} failed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
