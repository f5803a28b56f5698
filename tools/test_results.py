#!/usr/bin/env python3
"""Counts the test cases of a "bazel test" from its build events.

  test_results.py EVENTS.json

EVENTS.json is what --build_event_json_file wrote. Prints a line for each test case that failed and
each target that did not build, then "N passed, N failed". A skipped case counts as neither. Cases, not
targets: a target that dies without a report, or does not build, is one failure.
"""

import json
import sys
import urllib.parse
import xml.etree.ElementTree


def count_cases(path):
    """(passed, names of failed, skipped) of a test.xml."""
    passed, failed, skipped = 0, [], 0
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname') or ''}.{case.get('name') or ''}".strip(".")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.get("status") == "notrun" or case.get("result") in ("skipped", "suppressed"):
            skipped += 1
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
    """(passed, [line for each failure], skipped)."""
    passed, failures, skipped = 0, [], 0
    for label, good in sorted(verdicts.items()):
        failed_here = []
        for path in reports.get(label, []):
            try:
                some_passed, some_failed, some_skipped = count_cases(path)
            except (OSError, xml.etree.ElementTree.ParseError):
                continue
            passed += some_passed
            failed_here += some_failed
            skipped += some_skipped
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
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {len(failures)} failed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
