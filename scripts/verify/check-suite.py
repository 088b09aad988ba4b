#!/usr/bin/env python3
"""Checks a test suite in the Test-Comp exchange format 1.1.

usage: check-suite.py FOLDER --program FILE [--property FILE.prp]
           [--data-model LP64|ILP32] [--native]

FOLDER holds metadata.xml and one XML file for each test. With --native each
test is run, in the order of the file names. Prints one sentence for each
fault. Exit status: 0 valid, 1 not valid, 2 the check could not be made.
"""

import argparse
import hashlib
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
import xml.parsers.expat

import csource
import nativerun

METADATA = ("sourcecodelang", "producer", "specification", "programfile", "programhash", "entryfunction",
            "architecture", "inputtestsuitefile", "inputtestsuitehash", "creationtime")
OPTIONAL = ("inputtestsuitefile", "inputtestsuitehash")
DOCUMENT_TYPES = {
    kind: ("+//IDN sosy-lab.org//DTD test-format %s 1.1//EN" % kind,
           "https://sosy-lab.org/test-format/%s-1.1.dtd" % kind) for kind in ("test-metadata", "testcase")}
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?\Z")


def read_document(path):
    """The root element of an XML file, and its document type (name, public id, system id) or None."""
    found = []
    parser = xml.parsers.expat.ParserCreate()
    parser.StartDoctypeDeclHandler = lambda name, system, public, _: found.append((name, public, system))
    with open(path, "rb") as handle:
        data = handle.read()
    parser.Parse(data, True)
    return ElementTree.fromstring(data), found[0] if found else None


class Checker:
    """Collects the faults of one suite."""

    def __init__(self, program, property_text, data_model):
        self.program, self.property_text, self.data_model = program, property_text, data_model
        self.source = csource.Source(program)
        self.faults, self.notes = [], []
        self.tests = []  # (file name, values, coversError)

    def fault(self, where, sentence, *values):
        self.faults.append("%s: %s" % (where, sentence % values if values else sentence))

    def check(self, folder):
        names = sorted(name for name in os.listdir(folder) if name.endswith(".xml"))
        if "metadata.xml" in names:
            root = self.open(folder, "metadata.xml", "test-metadata")
            if root is not None:
                self.check_metadata(root)
        else:
            self.fault(folder, "the file metadata.xml is missing.")
        for name in names:
            if name != "metadata.xml":
                root = self.open(folder, name, "testcase")
                if root is not None:
                    self.check_test(root, name)
        for name in sorted(set(os.listdir(folder)) - set(names)):
            self.notes.append("%s is not an XML file and not part of the suite." % name)

    def open(self, folder, name, kind):
        try:
            root, document_type = read_document(os.path.join(folder, name))
        except (xml.parsers.expat.ExpatError, ElementTree.ParseError) as error:
            self.fault(name, "this is not well-formed XML: %s.", error)
            return None
        public, system = DOCUMENT_TYPES[kind]
        if document_type is None:
            self.fault(name, "the document type declaration is missing.")
        elif document_type != (kind, public, system):
            self.fault(name, 'the document type must be %s PUBLIC "%s" "%s".', kind, public, system)
        if root.tag != kind:
            self.fault(name, "the root element is <%s>, but it must be <%s>.", root.tag, kind)
            return None
        return root

    def plain(self, element, name, allowed=()):
        """Tells of attributes and elements that the document type does not allow."""
        for key in element.attrib:
            if key not in allowed:
                self.fault(name, "<%s> has no attribute `%s`.", element.tag, key)
        for child in element:
            if element.tag not in DOCUMENT_TYPES:
                self.fault(name, "<%s> holds text only, not <%s>.", element.tag, child.tag)
        if element.tag in DOCUMENT_TYPES:
            texts = [element.text] + [child.tail for child in element]
            if any(text and text.strip() for text in texts):
                self.fault(name, "<%s> holds elements only, not text.", element.tag)

    # Metadata.

    def check_metadata(self, root):
        name = "metadata.xml"
        self.plain(root, name)
        tags = [child.tag for child in root]
        for tag in tags:
            if tag not in METADATA:
                self.fault(name, "<%s> is not part of the format.", tag)
        known = [tag for tag in tags if tag in METADATA]
        for tag in METADATA:
            if tag not in OPTIONAL and known.count(tag) != 1:
                self.fault(name, "<%s> must be given once, but it is given %d times.", tag, known.count(tag))
        if sorted(known, key=METADATA.index) != known:
            self.fault(name, "the elements are not in the order %s.",
                       ", ".join(tag for tag in METADATA if tag in known))
        for child in root:
            self.plain(child, name)
            if child.tag in METADATA:
                self.check_field(child.tag, (child.text or "").strip(), name)

    def check_field(self, tag, text, name):
        if not text:
            self.fault(name, "<%s> is empty.", tag)
        elif tag == "sourcecodelang" and text != "C":
            self.fault(name, "<sourcecodelang> is %s, but it must be C.", text)
        elif tag == "architecture" and text != {"LP64": "64bit", "ILP32": "32bit"}[self.data_model]:
            self.fault(name, "<architecture> is %s, but the data model is %s.", text, self.data_model)
        elif tag == "programfile" and os.path.basename(text) != os.path.basename(self.program):
            self.fault(name, "<programfile> is %s, but the program is %s.", text, os.path.basename(self.program))
        elif tag == "entryfunction" and text not in [function for function, *_ in self.source.functions]:
            self.fault(name, "<entryfunction> is %s, which the program does not define.", text)
        elif tag == "creationtime" and not TIME.match(text):
            self.fault(name, "<creationtime> is not a date and time: %s.", text)
        elif tag == "programhash":
            self.check_hash(text, name)
        elif tag == "specification" and self.property_text is not None:
            if text.split() != self.property_text.split():
                self.fault(name, "<specification> is `%s`, but the property is `%s`.", " ".join(text.split()),
                           " ".join(self.property_text.split()))

    def check_hash(self, text, name):
        with open(self.program, "rb") as handle:
            data = handle.read()
        if text.lower() == hashlib.sha1(data).hexdigest():
            self.notes.append("%s: <programhash> is a SHA-1 hash." % name)
        elif text.lower() != hashlib.sha256(data).hexdigest():
            self.fault(name, "<programhash> is not the SHA-256 hash of the program.")

    # Tests.

    def check_test(self, root, name):
        self.plain(root, name, ("coversError",))
        covers = root.get("coversError", "false")
        if covers not in ("true", "false"):
            self.fault(name, '`coversError` is "%s", but it must be "true" or "false".', covers)
        values = []
        for number, child in enumerate(root, 1):
            if child.tag != "input":
                self.fault(name, "<%s> is not part of the format; a <testcase> holds <input> only.", child.tag)
                continue
            self.plain(child, name, ("type", "variable"))
            value = self.check_input(child, "%s, input %d" % (name, number))
            values.append(value)
        self.tests.append((name, values, covers == "true"))

    def check_input(self, element, where):
        """The value of an input, or None."""
        text = (element.text or "").strip()
        try:
            value = csource.constant(text)
        except (ValueError, OverflowError) as error:
            self.fault(where, "the value is not a C constant: %s.", str(error) or "it is empty")
            return None
        written = element.get("type")
        if written:
            kind = csource.type_of_name(written, self.data_model)
            if kind is None:
                self.notes.append("%s: the type %s is not known here." % (where, written))
            reason = csource.misfit(value, kind)
            if reason:
                self.fault(where, "the value %s %s `%s`.", text, reason, written)
        return value

    # Native runs.

    def check_native(self):
        reaching = 0
        with nativerun.Program(self.program, "unreach-call", self.data_model) as program:
            for name, values, covers in self.tests:
                if None in values:
                    continue
                outcome = program.run(values)
                reaching += outcome.reached is not None
                self.compare_run(name, values, covers, outcome)
        self.notes.append("native: %d of %d tests reach reach_error." % (reaching, len(self.tests)))

    def compare_run(self, name, values, covers, outcome):
        if covers and outcome.reached is None:
            self.fault(name, '`coversError` is "true", but the run does not reach reach_error; it %s.',
                       outcome.ending())
        if len(outcome.calls) < len(values):
            self.notes.append("native: %s has %d inputs, but the run reads %d." % (name, len(values),
                                                                                len(outcome.calls)))
        for number, ((called, _, line), value) in enumerate(zip(outcome.calls, values), 1):
            reason = csource.misfit(value, csource.type_of_call(called, self.source, self.data_model))
            if reason:
                self.fault("%s, input %d" % (name, number), "the value %s %s of %s, called in line %d.", value, reason,
                           called, line)


def check_folder(folder, program, property_text=None, data_model="LP64", native=False):
    """The faults and the notes for one suite."""
    checker = Checker(program, property_text, data_model)
    checker.check(folder)
    if native:
        checker.check_native()
    return checker.faults, checker.notes


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Checks a test suite in the Test-Comp exchange format 1.1.")
    parser.add_argument("folder")
    parser.add_argument("--program", required=True, help="the C file of the task (.c or .i)")
    parser.add_argument("--property", help="the property file (.prp)")
    parser.add_argument("--data-model", choices=("LP64", "ILP32"), default="LP64")
    parser.add_argument("--native", action="store_true", help="compile the program and run every test")
    options = parser.parse_args(arguments)
    try:
        text = None
        if options.property:
            with open(options.property, encoding="utf-8") as handle:
                text = handle.read()
        faults, notes = check_folder(options.folder, options.program, text, options.data_model, options.native)
    except (OSError, nativerun.NativeError) as error:
        print("check-suite: %s" % error, file=sys.stderr)
        return 2
    for line in faults:
        print(line)
    for line in notes:
        print("note: " + line)
    print("valid" if not faults else "not valid: %d fault%s" % (len(faults), "s" * (len(faults) > 1)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
