# Copyright Cairn contributors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# SPDX-License-Identifier: Apache-2.0

"""Tool-info module of Cairn for BenchExec."""

import re

import benchexec.result as result
import benchexec.tools.template

VERDICT = re.compile(r"(TRUE|FALSE\(([a-z-]+)\)|DONE|UNKNOWN(?: \((.*)\))?)\s*\Z")
VIOLATIONS = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    "valid-memcleanup": result.RESULT_FALSE_MEMCLEANUP,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
    "termination": result.RESULT_FALSE_TERMINATION,
}
EXIT_CODES = {"TRUE": 0, "DONE": 0, "FALSE": 1, "UNKNOWN": 2}
FAULTS = {64: "usage", 65: "input", 70: "internal"}


class Tool(benchexec.tools.template.BaseTool2):
    """
    Tool info for Cairn, a symbolic execution engine for C programs.
    """

    def name(self):
        return "Cairn"

    def executable(self, tool_locator):
        try:
            return tool_locator.find_executable("cairn")
        except benchexec.tools.template.ToolNotFoundException:
            return tool_locator.find_executable("cairn", subdir="bin")

    def version(self, executable):
        # The first line of the output is "cairn VERSION".
        text = self._version_from_tool(executable)
        words = text.splitlines()[0].split() if text else []
        return words[-1] if words else ""

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", *task.input_files]
        if task.property_file:
            command += ["--property", task.property_file]
        model = self._data_model(task)
        if model:
            command += ["--data-model", model]
        if rlimits.cputime and "--max-time" not in options:
            command += ["--max-time", str(rlimits.cputime)]
        return command + options

    @staticmethod
    def _data_model(task):
        """The data model of the task definition, or None for a task that has none."""
        if not isinstance(task.options, dict) or task.options.get("language", "C") != "C":
            return None
        model = task.options.get("data_model")
        if model not in (None, "LP64", "ILP32"):
            raise benchexec.tools.template.UnsupportedFeatureException(
                f"Unsupported data model '{model}'"
            )
        return model

    def determine_result(self, run):
        if run.exit_code.value in FAULTS:
            return self._fault(run)
        verdict = self._verdict(run.output)
        if verdict is None or run.exit_code.value is None:
            return self._no_verdict(run)
        word = re.match("[A-Z]+", verdict.group(1)).group(0)
        if EXIT_CODES[word] != run.exit_code.value:
            return f"ERROR (exit code {run.exit_code.value} after {verdict.group(1)})"
        if word == "FALSE":
            subproperty = verdict.group(2)
            return VIOLATIONS.get(subproperty, f"ERROR (unknown property {subproperty})")
        # BenchExec counts any other text than RESULT_UNKNOWN as an error,
        # so the reason is only given as a column.
        return {
            "TRUE": result.RESULT_TRUE_PROP,
            "DONE": result.RESULT_DONE,
            "UNKNOWN": result.RESULT_UNKNOWN,
        }[word]

    @staticmethod
    def _verdict(output):
        """The match of the last line that is a verdict, or None."""
        matches = (VERDICT.match(line) for line in reversed(output))
        return next((match for match in matches if match), None)

    @staticmethod
    def _fault(run):
        """The status for an exit code that says the run itself failed."""
        lines = [line.strip() for line in run.output if line.strip()]
        marked = [line for line in lines if line.lower().startswith(("cairn: ", "error: "))]
        message = (marked or lines or [""])[-1]
        message = re.sub(r"^(?:cairn: |error: )+", "", message, flags=re.IGNORECASE)[:120]
        kind = FAULTS[run.exit_code.value]
        return f"ERROR ({kind}: {message})" if message else f"ERROR ({kind})"

    @staticmethod
    def _no_verdict(run):
        """The status for a run that was stopped or printed no verdict."""
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        if run.exit_code.signal is not None:
            return f"ERROR (signal {run.exit_code.signal})"
        return f"ERROR (no verdict, exit code {run.exit_code.value})"

    def get_value_from_output(self, output, identifier):
        """`reason` is the reason of UNKNOWN; any other name is a line `NAME: VALUE`."""
        if identifier == "reason":
            verdict = self._verdict(output)
            return verdict.group(3) if verdict else None
        for line in reversed(output):
            if line.startswith(identifier + ":"):
                return line[len(identifier) + 1 :].strip()
        return None
