#!/usr/bin/env python3
"""Checks a verification witness of format 2.0 against a program and a property.

usage: check-witness.py WITNESS.yml --program FILE --property FILE.prp
           [--data-model LP64|ILP32] [--native]

Prints one sentence for each fault. Exit status: 0 valid, 1 not valid,
2 the check could not be made.
"""

import argparse
import datetime
import hashlib
import os
import re
import sys

import yaml

import csource
import nativerun

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)\Z")
HASH = re.compile(r"[0-9a-fA-F]{64}\Z")
RESULT = re.compile(r"\s*\\result\s*(==|!=|<=|<|>=|>)\s*(.+?)\s*\Z", re.S)
CONSTRAINT_FORMAT = {"assumption": "c_expression", "function_return": "acsl_expression", "branching": None}
WAYPOINT_TYPES = ("assumption", "target", "function_enter", "function_return", "branching")
BRANCH_WORDS = ("if", "while", "for", "do", "switch", "?")


class Loader(yaml.SafeLoader):
    """YAML with plain timestamps read as strings, and without repeated keys."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def construct_mapping(loader, node):
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(None, None, "the key `%s` is given twice" % key, node.start_mark)
    return {key: loader.construct_object(value, deep=True) for key, (_, value) in zip(keys, node.value)}


Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, construct_mapping)


def words(text):
    return " ".join(text.split())


class Checker:
    """Collects the faults of one witness."""

    def __init__(self, program, property_text, data_model):
        self.program, self.property_text, self.data_model = program, property_text, data_model
        self.faults, self.notes = [], []
        self.source = csource.Source(program)
        self.sources = {}   # input file name -> Source
        self.returns = []   # (closing parenthesis, called function, value or None), in order
        self.target = None  # (Source, offset)

    def fault(self, where, sentence, *values):
        self.faults.append("%s: %s" % (where, sentence % values if values else sentence))

    # Shapes.

    def mapping(self, value, where, required, optional=()):
        """Whether a value is a mapping with the right keys; tells of each key that is missing or not known."""
        if not isinstance(value, dict):
            self.fault(where, "this must be a mapping.")
            return False
        for key in required:
            if key not in value:
                self.fault(where, "the key `%s` is missing.", key)
        for key in value:
            if key not in required and key not in optional:
                self.fault(where, "the key `%s` is not part of the format.", key)
        return True

    def string(self, mapping, key, where):
        """The string of a key, or None (with a fault if something else is there)."""
        value = mapping.get(key)
        if key in mapping and (not isinstance(value, str) or not value.strip()):
            self.fault(where, "`%s` must be a string that is not empty, but it is %s.", key, yaml_name(value))
            return None
        return value

    def sequence(self, value, where):
        if not isinstance(value, list):
            self.fault(where, "this must be a sequence.")
            return []
        return value

    # Entries.

    def check(self, document):
        if not isinstance(document, list) or not document:
            self.fault("file", "a witness is a sequence of one or more entries.")
            return
        kinds = [entry.get("entry_type") if isinstance(entry, dict) else None for entry in document]
        if "violation_sequence" in kinds and len(document) > 1:
            self.fault("file", "a violation witness has one entry, but this file has %d.", len(document))
        uuids = []
        for number, entry in enumerate(document, 1):
            self.check_entry(entry, "entry %d" % number, uuids)

    def check_entry(self, entry, where, uuids):
        if not self.mapping(entry, where, ("entry_type", "metadata", "content")):
            return
        if "metadata" in entry:
            self.check_metadata(entry["metadata"], where + ", metadata", uuids)
        kind = entry.get("entry_type")
        if kind == "violation_sequence":
            self.check_segments(self.sequence(entry.get("content"), where + ", content"), where)
        elif kind == "invariant_set":
            content = self.sequence(entry.get("content"), where + ", content")
            if not content and isinstance(entry.get("content"), list):
                self.notes.append("%s: the invariant set is empty." % where)
            for number, item in enumerate(content, 1):
                self.check_invariant(item, "%s, invariant %d" % (where, number))
        elif "entry_type" in entry:
            self.fault(where, "`entry_type` is `%s`, but it must be `violation_sequence` or `invariant_set`.", kind)

    def check_metadata(self, data, where, uuids):
        if not self.mapping(data, where, ("format_version", "uuid", "creation_time", "producer", "task")):
            return
        version = self.string(data, "format_version", where)
        if version and version != "2.0":
            self.fault(where, "`format_version` is '%s', but it must be '2.0'.", version)
        uuid = self.string(data, "uuid", where)
        if uuid and not UUID.match(uuid):
            self.fault(where, "`uuid` is not a UUID of RFC 4122: `%s`.", uuid)
        if uuid and uuid in uuids:
            self.fault(where, "the `uuid` is used by an earlier entry.")
        uuids.append(uuid)
        self.check_time(self.string(data, "creation_time", where), where)
        if "producer" in data:
            self.check_producer(data["producer"], where + ", producer")
        if "task" in data:
            self.check_task(data["task"], where + ", task")

    def check_time(self, text, where):
        if text is None:
            return
        if not TIME.match(text):
            self.fault(where, "`creation_time` must be a date and time with a zone, as in "
                       "2024-01-31T12:00:00Z, but it is `%s`.", text)
            return
        try:
            datetime.datetime.strptime(text[:19].upper(), "%Y-%m-%dT%H:%M:%S")
        except ValueError:
            self.fault(where, "`creation_time` is not a date that exists: `%s`.", text)

    def check_producer(self, data, where):
        optional = ("configuration", "command_line", "description")
        if self.mapping(data, where, ("name", "version"), optional):
            for key in ("name", "version") + optional:
                self.string(data, key, where)

    def check_task(self, data, where):
        required = ("input_files", "input_file_hashes", "specification", "data_model", "language")
        if not self.mapping(data, where, required):
            return
        self.check_inputs(data, where)
        text = self.string(data, "specification", where)
        if text and words(text) != words(self.property_text):
            self.fault(where, "`specification` is `%s`, but the property is `%s`.", words(text),
                       words(self.property_text))
        for key, allowed in (("data_model", ("ILP32", "LP64")), ("language", ("C",))):
            value = self.string(data, key, where)
            if value and value not in allowed:
                self.fault(where, "`%s` is `%s`, but it must be %s.", key, value, " or ".join(allowed))
        if data.get("data_model") in ("ILP32", "LP64") and data["data_model"] != self.data_model:
            self.fault(where, "`data_model` is %s, but the task uses %s.", data["data_model"], self.data_model)

    def check_inputs(self, data, where):
        files = self.sequence(data.get("input_files"), where + ", input_files") if "input_files" in data else []
        if not files and isinstance(data.get("input_files"), list):
            self.fault(where, "`input_files` is empty.")
        for name in files:
            if not isinstance(name, str):
                self.fault(where, "`input_files` must hold strings.")
            else:
                self.open_input(name, where)
        if self.sources and self.source not in self.sources.values():
            self.fault(where, "`input_files` does not name the program %s.", os.path.basename(self.program))
        if "input_file_hashes" in data:
            self.check_hashes(data["input_file_hashes"], files, where + ", input_file_hashes")

    def open_input(self, name, where):
        if os.path.basename(name) == os.path.basename(self.program):
            self.sources[name] = self.source
            return
        path = os.path.join(os.path.dirname(os.path.abspath(self.program)), name)
        if os.path.isfile(path):
            self.sources[name] = csource.Source(path)
        else:
            self.fault(where, "`input_files` names %s, which does not exist.", name)

    def check_hashes(self, hashes, files, where):
        if not isinstance(hashes, dict):
            self.fault(where, "this must be a mapping from file names to SHA-256 hashes.")
            return
        for name in files:
            if isinstance(name, str) and name not in hashes:
                self.fault(where, "the hash of %s is missing.", name)
        for name, digest in hashes.items():
            if name not in files:
                self.fault(where, "%s is not one of the `input_files`.", name)
            elif not isinstance(digest, str) or not HASH.match(digest):
                self.fault(where, "the hash of %s must be a string of 64 hexadecimal digits.", name)
            elif name in self.sources and digest.lower() != self.digest(name):
                self.fault(where, "the hash of %s is not the SHA-256 hash of the file.", name)

    def digest(self, name):
        folder = os.path.dirname(os.path.abspath(self.program))
        path = self.program if self.sources[name] is self.source else os.path.join(folder, name)
        with open(path, "rb") as handle:
            return hashlib.sha256(handle.read()).hexdigest()

    # Violation witnesses.

    def check_segments(self, content, where):
        if not content:
            self.fault(where, "a violation sequence has one or more segments.")
        for number, item in enumerate(content, 1):
            here = "%s, segment %d" % (where, number)
            if self.mapping(item, here, ("segment",)) and "segment" in item:
                waypoints = self.sequence(item["segment"], here)
                self.check_segment(waypoints, here, number == len(content))

    def check_segment(self, waypoints, where, final):
        if not waypoints:
            self.fault(where, "a segment has one or more waypoints.")
        ends_at_target = False
        for number, item in enumerate(waypoints, 1):
            here = "%s, waypoint %d" % (where, number)
            if not self.mapping(item, here, ("waypoint",)) or "waypoint" not in item:
                continue
            waypoint, last = item["waypoint"], number == len(waypoints)
            if not self.mapping(waypoint, here, ("type", "action", "location"), ("constraint",)):
                continue
            self.check_action(waypoint, here, last)
            if waypoint.get("type") == "target":
                ends_at_target = ends_at_target or last
                if not (last and final):
                    self.fault(here, "a `target` must be the last waypoint of the last segment.")
            self.check_waypoint(waypoint, here)
        if final and waypoints and not ends_at_target:
            self.fault(where, "the last waypoint of the last segment must have type `target`.")

    def check_action(self, waypoint, where, last):
        action = waypoint.get("action")
        if action not in ("follow", "avoid"):
            if "action" in waypoint:
                self.fault(where, "`action` is %s, but it must be `follow` or `avoid`.", yaml_name(action))
        elif waypoint.get("type") == "target" and action == "avoid":
            self.fault(where, "a `target` must have the action `follow`.")
        elif last and action == "avoid":
            self.fault(where, "the last waypoint of a segment must have the action `follow`.")
        elif not last and action == "follow":
            self.fault(where, "only the last waypoint of a segment may have the action `follow`.")

    def check_waypoint(self, waypoint, where):
        kind = waypoint.get("type")
        if kind not in WAYPOINT_TYPES:
            if "type" in waypoint:
                self.fault(where, "`type` is %s, but it must be one of: %s.", yaml_name(kind),
                           ", ".join(WAYPOINT_TYPES))
            return
        text = self.check_constraint(waypoint, kind, where)
        place = self.check_location(waypoint, where)
        if place is None:
            return
        source, line, column = place
        offset = getattr(self, "place_of_" + kind)(source, line, column, where)
        if kind == "target" and offset is not None:
            self.target = (source, offset)
        if kind == "function_return" and text is not None:
            self.check_result(waypoint, text, source, offset, where)
        if kind == "branching" and text is not None and offset is not None:
            self.check_branch(text, source, offset, where)

    def check_constraint(self, waypoint, kind, where):
        """The value of the constraint, or None."""
        if kind not in CONSTRAINT_FORMAT:
            if "constraint" in waypoint:
                self.fault(where, "a waypoint of type `%s` has no `constraint`.", kind)
            return None
        if "constraint" not in waypoint:
            self.fault(where, "a waypoint of type `%s` needs a `constraint`.", kind)
            return None
        wanted = CONSTRAINT_FORMAT[kind]
        constraint, here = waypoint["constraint"], where + ", constraint"
        if not self.mapping(constraint, here, ("value", "format") if wanted else ("value",)):
            return None
        if wanted and "format" in constraint and constraint["format"] != wanted:
            self.fault(here, "`format` is %s, but for `%s` it must be `%s`.", yaml_name(constraint["format"]), kind,
                       wanted)
        return self.string(constraint, "value", here)

    # Locations. Columns count characters from 1; a tab is one character.

    def check_location(self, holder, where):
        """(source, line, column or None), or None if the location does not exist."""
        data, where = holder.get("location"), where + ", location"
        if "location" not in holder or not self.mapping(data, where, ("file_name", "line"), ("column", "function")):
            return None
        name = self.string(data, "file_name", where)
        line, column = data.get("line"), data.get("column")
        for key in ("line", "column"):
            if key in data and (type(data[key]) is not int or data[key] < 1):
                self.fault(where, "`%s` must be a number from 1 on, but it is %s.", key, yaml_name(data[key]))
                return None
        if name is None or line is None:
            return None
        if name not in self.sources:
            self.fault(where, "`file_name` is %s, which is not one of the input files.", name)
            return None
        source = self.sources[name]
        if line > source.line_count():
            self.fault(where, "line %d is past the end of %s, which has %d lines.", line, name, source.line_count())
            return None
        if column is not None and column > source.line_length(line):
            self.fault(where, "column %d is past the end of line %d, which has %d characters.", column, line,
                       source.line_length(line))
            return None
        self.check_function(data, source, line, column, where)
        return source, line, column

    def check_function(self, data, source, line, column, where):
        given = self.string(data, "function", where)
        if given is None:
            return
        first = source.starts[line - 1]
        offsets = [source.offset(line, column)] if column else range(first, first + source.line_length(line) + 1)
        found = {source.function_at(offset) for offset in offsets} - {None}
        if given not in found:
            self.fault(where, "`function` is %s, but line %d is %s.", given, line,
                       "in " + " and ".join(sorted(found)) if found else "not in a function body")

    def place(self, source, line, column, where, suits, wanted):
        """The offset of the location, or of the leftmost suitable token in the line; None if it does not suit."""
        if column is not None:
            index = source.token_at(source.offset(line, column))
            if index is not None and suits(index):
                return source.offsets[index]
            self.fault(where, "line %d, column %d is not %s.", line, column, wanted)
            return None
        for index in source.tokens_in_line(line):
            if suits(index):
                return source.offsets[index]
        self.fault(where, "line %d has no place that is %s.", line, wanted)
        return None

    def place_of_target(self, source, line, column, where):
        def suits(index):
            if source.starts_statement(index):
                return not source.starts_declaration(index)
            return source.starts_expression(index)
        return self.place(source, line, column, where, suits, "the first character of a statement or a full expression")

    def place_of_assumption(self, source, line, column, where):
        return self.place(source, line, column, where, source.starts_statement,
                          "the first character of a statement or a declaration in a function body")

    def place_of_branching(self, source, line, column, where):
        return self.place(source, line, column, where,
                          lambda index: source.inside[index] and source.word(index) in BRANCH_WORDS,
                          "a branching keyword or the `?` of a conditional expression")

    def place_of_function_enter(self, source, line, column, where):
        return self.place(source, line, column, where, lambda index: source.offsets[index] in source.calls,
                          "the closing parenthesis of a function call")

    place_of_function_return = place_of_function_enter

    # Constraints.

    def check_result(self, waypoint, text, source, offset, where):
        where += ", constraint"
        match = RESULT.match(text)
        if not match:
            self.fault(where, "`%s` does not have the form `\\result == CONSTANT`.", text)
            return
        try:
            value = csource.constant(match.group(2))
        except (ValueError, OverflowError) as error:
            self.fault(where, "the right side is not a constant: %s.", error)
            return
        if value != value:
            self.fault(where, "no value is equal to the right side, which is not a number.")
            return
        if offset is None:
            return
        name = source.calls[offset]
        kind = csource.type_of_call(name, source, self.data_model)
        if kind is None:
            self.notes.append("%s: the return type of `%s` is not known here." % (where, name))
        reason = csource.misfit(value, kind)
        if reason:
            self.fault(where, "the value %s %s of `%s`.", match.group(2), reason, name)
        if waypoint.get("action") == "follow":
            self.returns.append(((source, offset), name, value if match.group(1) == "==" else None))

    def check_branch(self, text, source, offset, where):
        where += ", constraint"
        word = source.word(source.token_at(offset))
        if word != "switch":
            if text not in ("true", "false"):
                self.fault(where, "the value for `%s` is `%s`, but it must be 'true' or 'false'.", word, text)
            return
        try:
            good = text == "default" or isinstance(csource.constant(text), int)
        except ValueError:
            good = False
        if not good:
            self.fault(where, "the value for `switch` is `%s`, but it must be an integer or `default`.", text)

    # Correctness witnesses.

    def check_invariant(self, item, where):
        if not self.mapping(item, where, ("invariant",)) or "invariant" not in item:
            return
        data = item["invariant"]
        if not self.mapping(data, where, ("type", "location", "value", "format")):
            return
        kind, form = data.get("type"), data.get("format")
        if "format" in data and form != "c_expression":
            self.fault(where, "`format` is %s, but it must be `c_expression`.", yaml_name(form))
        self.check_expression(self.string(data, "value", where), where)
        place = self.check_location(data, where)
        if kind == "loop_invariant" and place:
            self.place(*place, where, place[0].is_loop_keyword, "the first keyword of a loop")
        elif kind == "location_invariant" and place:
            self.place_of_assumption(*place, where)
        elif kind not in ("loop_invariant", "location_invariant") and "type" in data:
            self.fault(where, "`type` is %s, but it must be `loop_invariant` or `location_invariant`.", yaml_name(kind))

    def check_expression(self, text, where):
        """Rejects what is plainly not a C expression without side effects."""
        if text is None:
            return
        code = csource.blank(text)
        if code.count("(") != code.count(")") or ";" in code:
            self.fault(where, "`value` is not a C expression: `%s`.", text)
        elif re.search(r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=", code):
            self.fault(where, "`value` has a side effect: `%s`.", text)


def yaml_name(value):
    """A value as a reader of the file sees it."""
    if isinstance(value, str):
        return "`%s`" % value
    kinds = {bool: "the truth value", int: "the number", float: "the number"}
    return "%s %s" % (kinds[type(value)], str(value).lower()) if type(value) in kinds else "not a scalar"


# Native check.

LEAKS_IN_GLOBALS = "use_globals=0:use_stacks=0:use_registers=0:use_tls=0"


def native_plan(property_text):
    """(sanitizer set, what must be in the report, leak option) for a property, or None."""
    text = words(property_text)
    if "reach_error" in text:
        return "unreach-call", None, False
    if "overflow" in text:
        return "no-overflow", r"runtime error: (?:signed integer overflow|negation of|division of)", False
    if "valid-memcleanup" in text:
        return "memory", "ERROR: LeakSanitizer", LEAKS_IN_GLOBALS
    if "valid-memtrack" in text:
        return "memory", "ERROR: (?:Address|Leak)Sanitizer", True
    if "valid-" in text:
        return "memory", "ERROR: AddressSanitizer", False
    return None


def check_native(checker):
    plan = native_plan(checker.property_text)
    if plan is None:
        checker.notes.append("native: this property has no native check.")
        return
    kind, wanted, leaks = plan
    inputs = [entry for entry in checker.returns if entry[1].startswith("__VERIFIER_nondet_")]
    if any(value is None for _, _, value in inputs):
        checker.fault("native", "a value is given by a relation other than `==`, so the run is not determined.")
        return
    with nativerun.Program(checker.program, kind, checker.data_model) as program:
        outcome = program.run([value for _, _, value in inputs], leaks)
    check_calls(checker, inputs, outcome.calls)
    check_end(checker, outcome, wanted)


def check_calls(checker, inputs, calls):
    for number, ((source, offset), name, _) in enumerate(inputs, 1):
        line = source.position(offset)[0]
        if number > len(calls):
            checker.fault("native", "the run has %d nondet calls, but the witness gives %d values.", len(calls),
                          len(inputs))
            return
        called, _, called_line = calls[number - 1]
        if called != name or called_line != line:
            checker.fault("native", "nondet call %d is %s in line %d, but the witness has %s in line %d.", number,
                          called, called_line, name, line)
            return
    if len(calls) > len(inputs):
        checker.notes.append("native: the run has %d nondet calls and the witness gives %d values; the others are 0."
                             % (len(calls), len(inputs)))


def check_end(checker, outcome, wanted):
    if wanted is None:
        place, what = outcome.reached, "reach_error"
    else:
        found = re.search(wanted, outcome.report)
        place, what = (report_place(outcome.report, checker.program), found.group(0)) if found else (None, "")
        if found and "Leak" in found.group(0):
            checker.notes.append("native: the run leaks memory; the line of a leak is not compared.")
            return
        if found and place is None:
            checker.notes.append("native: %s, in a line the report does not name." % found.group(0))
            return
    if place is None:
        checker.fault("native", "the run does not violate the property; it %s.", outcome.ending())
        return
    check_target_line(checker, place, what)


def check_target_line(checker, place, what):
    name, line = place
    if checker.target is None:
        return
    source, offset = checker.target
    if source is not checker.source or name != os.path.basename(checker.program):
        checker.notes.append("native: %s in %s, line %d; the target is in another file." % (what, name, line))
        return
    first, last = source.statement_lines(offset)
    if first <= line <= last:
        checker.notes.append("native: %s in line %d, as the target says." % (what, line))
    else:
        checker.fault("native", "the violation (%s) is in line %d, but the target is in line %d.", what, line, first)


def report_place(report, program):
    """The first place in the program that a sanitizer report names."""
    name = re.escape(os.path.basename(program))
    found = re.search(r"(?:^|[\s/])%s:(\d+)" % name, report)
    return (os.path.basename(program), int(found.group(1))) if found else None


def load(path):
    with open(path, "rb") as handle:
        return yaml.load(handle.read().decode("utf-8"), Loader)


def check_file(witness, program, property_text, data_model="LP64", native=False):
    """The faults and the notes for one witness file."""
    checker = Checker(program, property_text, data_model)
    try:
        document = load(witness)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return ["file: this is not YAML in UTF-8: %s." % words(str(error))], []
    checker.check(document)
    if native and not checker.faults:
        if checker.target is not None:
            check_native(checker)
        else:
            checker.notes.append("native: a correctness witness is not run.")
    return checker.faults, checker.notes


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Checks a verification witness of format 2.0.")
    parser.add_argument("witness")
    parser.add_argument("--program", required=True, help="the C file of the task (.c or .i)")
    parser.add_argument("--property", required=True, help="the property file (.prp)")
    parser.add_argument("--data-model", choices=("LP64", "ILP32"), default="LP64")
    parser.add_argument("--native", action="store_true", help="compile the program and run it on the given values")
    options = parser.parse_args(arguments)
    try:
        with open(options.property, encoding="utf-8") as handle:
            text = handle.read()
        faults, notes = check_file(options.witness, options.program, text, options.data_model, options.native)
    except (OSError, nativerun.NativeError) as error:
        print("check-witness: %s" % error, file=sys.stderr)
        return 2
    for line in faults:
        print(line)
    for line in notes:
        print("note: " + line)
    print("valid" if not faults else "not valid: %d fault%s" % (len(faults), "s" * (len(faults) > 1)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
