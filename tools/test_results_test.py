#!/usr/bin/env python3
"""Tests of test_results.py."""

import json
import os
import tempfile
import unittest

import test_results

XML = """<?xml version="1.0"?>
<testsuites><testsuite name="S">
  <testcase name="Good" classname="S" status="run" result="completed"/>
  <testcase name="Bad" classname="S" status="run"><failure message="m"/></testcase>
  <testcase name="Skipped" classname="S" status="run" result="skipped">
    <skipped message="a/b_test.cc:12&#x0A;no Podman&#x0A;here"/>
  </testcase>
  <testcase name="Disabled" classname="S" status="notrun" result="suppressed"/>
</testsuite></testsuites>
"""


def summary(label, status):
    return json.dumps(
        {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}
    )


class TestResultsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def result(self, label, text):
        path = os.path.join(self.folder.name, f"{len(os.listdir(self.folder.name))} test.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        outputs = [
            {"name": "test.log", "uri": "file:///nowhere/test.log"},
            {"name": "test.xml", "uri": "file://" + path.replace(" ", "%20")},
        ]
        return json.dumps(
            {"id": {"testResult": {"label": label}}, "testResult": {"testActionOutput": outputs}}
        )

    def summarize(self, *events):
        return test_results.summarize(*test_results.read_events(events))

    def test_counts_cases_and_names_the_skipped(self):
        result = self.summarize(self.result("//a:t", XML), summary("//a:t", "FAILED"))
        skipped = ["//a:t: S.Skipped: no Podman here", "//a:t: S.Disabled: disabled"]
        self.assertEqual(result, (1, ["//a:t: S.Bad"], skipped))

    def test_a_target_that_died_is_one_failure(self):
        for text in ("", "<testsuites><testsuite>", "<testsuites/>"):
            result = self.summarize(self.result("//a:t", text), summary("//a:t", "TIMEOUT"))
            self.assertEqual(result, (0, ["//a:t: died without a report"], []))

    def test_a_target_that_did_not_build_is_one_failure(self):
        broken = json.dumps({"id": {"targetCompleted": {"label": "//a:t"}}, "aborted": {}})
        result = self.summarize(broken, summary("//a:t", "FAILED_TO_BUILD"))
        self.assertEqual(result, (0, ["//a:t: did not build or run"], []))

    def test_a_target_that_built_counts_for_nothing_by_itself(self):
        built = json.dumps(
            {"id": {"targetCompleted": {"label": "//a:b"}}, "completed": {"success": True}}
        )
        self.assertEqual(self.summarize(built), (0, [], []))

    def test_shards_add_up(self):
        one = '<testsuites><testsuite><testcase name="A"/></testsuite></testsuites>'
        result = self.summarize(
            self.result("//a:t", one), self.result("//a:t", one), summary("//a:t", "PASSED")
        )
        self.assertEqual(result, (2, [], []))


if __name__ == "__main__":
    unittest.main()
