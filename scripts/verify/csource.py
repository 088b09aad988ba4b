"""Reading C text: positions, calls, statement starts, and constant expressions.

This is a scanner, not a compiler. It knows comments, strings, preprocessor
lines, brackets and keywords, which is enough to decide whether a location of
a witness points at the kind of place the witness format asks for.
"""

import bisect
import re
import struct
from fractions import Fraction

TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|->|\+\+|--|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|\S")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z")
OPENERS = {"(": ")", "[": "]", "{": "}"}
HEADERS = {"if", "while", "for", "switch"}
STATEMENT_WORDS = {"return", "else", "do", "case", "goto", "break", "continue", "default"}
NOT_CALLED = HEADERS | STATEMENT_WORDS | {
    "sizeof", "_Alignof", "__alignof__", "typeof", "__typeof__", "__attribute__", "_Static_assert", "asm", "__asm__"}
TYPE_WORDS = {
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "struct", "union",
    "enum", "const", "volatile", "static", "extern", "register", "auto", "typedef", "inline", "__inline",
    "__extension__", "_Thread_local", "__int128"}


def blank(text):
    """The text with comments, strings and preprocessor lines replaced by blanks of the same length."""
    pattern = re.compile(
        r'//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*',
        re.S | re.M)

    def cover(match):
        found = match.group(0)
        inner = re.sub(r"[^\n]", " ", found)
        # Literals stay visible as a number token, so that expressions keep their shape.
        return "0" + inner[1:] if found[0] in "\"'" else inner

    return pattern.sub(cover, text)


class Source:
    """One C file, addressed by line and column, both counted from 1."""

    def __init__(self, path):
        with open(path, "rb") as handle:
            self.text = handle.read().decode("utf-8", "surrogateescape")
        self.code = blank(self.text)
        self.lines = self.text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.tokens = [(m.group(0), m.start()) for m in TOKEN.finditer(self.code)]
        self.offsets = [offset for _, offset in self.tokens]
        self._match_brackets()
        self._find_functions()
        self._find_calls()

    # Positions.

    def line_count(self):
        return len(self.lines) - 1 if self.lines[-1] == "" else len(self.lines)

    def line_length(self, line):
        return len(self.lines[line - 1].rstrip("\r"))

    def offset(self, line, column):
        return self.starts[line - 1] + column - 1

    def position(self, offset):
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def token_at(self, offset):
        """The index of the token that starts at this offset, or None."""
        index = bisect.bisect_left(self.offsets, offset)
        return index if index < len(self.offsets) and self.offsets[index] == offset else None

    def tokens_in_line(self, line):
        first = bisect.bisect_left(self.offsets, self.starts[line - 1])
        return range(first, bisect.bisect_left(self.offsets, self.starts[line]))

    def word(self, index):
        return self.tokens[index][0] if 0 <= index < len(self.tokens) else ""

    # Structure.

    def _match_brackets(self):
        """partner: the other bracket of a pair; group: the innermost opening bracket around each token."""
        self.partner, self.group = {}, []
        stack = []
        for index, (word, _) in enumerate(self.tokens):
            if word in OPENERS.values() and stack and OPENERS[self.word(stack[-1])] == word:
                opener = stack.pop()
                self.partner[opener], self.partner[index] = index, opener
            self.group.append(stack[-1] if stack else None)
            if word in OPENERS:
                stack.append(index)

    def _find_functions(self):
        """Definitions at file level, as (name, index of the name, opening brace, closing brace)."""
        self.functions, self.inside = [], [False] * len(self.tokens)
        for index, (word, _) in enumerate(self.tokens):
            if word != "{" or self.group[index] is not None or index not in self.partner:
                continue
            name = self._defined_name(index)
            if name is not None:
                end = self.partner[index]
                self.functions.append((self.word(name), name, index, end))
                self.inside[index + 1:end] = [True] * (end - index - 1)

    def _defined_name(self, brace):
        """The index of the name of the function whose body opens at this brace, or None."""
        index = brace - 1
        while index > 0 and self.word(index) not in ("=", "}", "{"):
            opener = self.partner.get(index) if self.word(index) == ")" else None
            if opener is None:
                # Between the parameters and the body there can only be old-style declarations.
                if self.word(brace - 1) not in (")", ";"):
                    return None
                index -= 1
            elif IDENTIFIER.match(self.word(opener - 1)) and self.word(opener - 1) not in NOT_CALLED:
                return opener - 1
            else:
                index = opener - 1
        return None

    def function_at(self, offset):
        """The name of the function whose body or header holds this offset, or None."""
        for name, start, _, end in self.functions:
            if self.offsets[start] <= offset <= self.offsets[end]:
                return name
        return None

    def definition(self, name):
        """The offset just past the opening brace of a function, or None."""
        for found, _, brace, _ in self.functions:
            if found == name:
                return self.offsets[brace] + 1
        return None

    def _find_calls(self):
        self.calls = {}
        for index, (word, offset) in enumerate(self.tokens):
            if word == ")" and index in self.partner and self.inside[index]:
                name = self._callee(self.partner[index])
                if name is not None:
                    self.calls[offset] = name

    def _callee(self, opener):
        """The called name for an opening parenthesis, "" for a call by pointer, None if it is not a call."""
        before = opener - 1
        word = self.word(before)
        if IDENTIFIER.match(word):
            if word in NOT_CALLED or word in TYPE_WORDS or self._declares(before):
                return None
            return "" if self.word(before - 1) in ("->", ".") else word
        if word == "]":
            return ""
        if word == ")" and before in self.partner:
            inner = self.partner[before]
            return "" if self.word(inner + 1) == "*" and self.word(inner - 1) not in HEADERS else None
        return None

    def _declares(self, index):
        """Whether NAME at this index follows a type, as in `int f(void);`."""
        before = self.word(index - 1)
        while before == "*" and self.starts_declaration(self.statement_start(index)):
            index -= 1
            before = self.word(index - 1)
        return before in TYPE_WORDS or bool(IDENTIFIER.match(before) and before not in STATEMENT_WORDS)

    # Statements.

    def statement_start(self, index):
        """The index of the first token of the statement or declaration around this token."""
        while index > 0 and not self.starts_statement(index):
            index -= 1
        return index

    def starts_statement(self, index):
        """Whether a statement, or a declaration inside a compound statement, starts at this token."""
        if not self.inside[index] or self.word(index) == "}" or self._in_parentheses(index):
            return False
        before = self.word(index - 1)
        if before in (";", "{", "}", "else", "do"):
            return True
        if before == ":":
            return self._ends_label(index - 1)
        return before == ")" and self.word(self.partner.get(index - 1, 0) - 1) in HEADERS

    def _in_parentheses(self, index):
        return self.group[index] is not None and self.word(self.group[index]) != "{"

    def _ends_label(self, colon):
        index = colon - 1
        while index > 0 and self.word(index) not in (";", "{", "}", ":", "?"):
            if self.word(index) in ("case", "default"):
                return True
            index -= 1
        return colon - index == 2 and self.word(index) != "?"

    def starts_declaration(self, index):
        """Whether the statement that starts at this token is a declaration."""
        word = self.word(index)
        if word in TYPE_WORDS:
            return True
        if not IDENTIFIER.match(word) or word in NOT_CALLED:
            return False
        following = index + 1
        while self.word(following) == "*":
            following += 1
        return bool(IDENTIFIER.match(self.word(following))) and self.word(following + 1) in ("=", ";", ",", "[")

    def starts_expression(self, index):
        """Whether a full expression that is not a statement of its own starts at this token."""
        if not self.inside[index] or self.word(index) in (";", ")", "{"):
            return False
        before, group = self.word(index - 1), self.group[index]
        header = self.word(group - 1) if self.word(group) == "(" else ""
        if before == "return":
            return True
        if before == "(":
            return header in HEADERS and not self._for_declares(group)
        if before == ";":
            return header == "for"
        if before == "=":
            return self._for_declares(group) if header else self.starts_declaration(self._outer_statement(index))
        return before in (",", "{") and self._in_initializer(group) and self.starts_declaration(
            self._outer_statement(index))

    def _for_declares(self, opener):
        return self.word(opener - 1) == "for" and self.starts_declaration(opener + 1)

    def _in_initializer(self, group):
        return self.word(group) == "{" and self.word(group - 1) in ("=", ",", "{") and self.inside[group]

    def _outer_statement(self, index):
        """The start of the statement around a token, seen from outside an initializer list."""
        while self._in_initializer(self.group[index]):
            index = self.group[index]
        return self.statement_start(index)

    def statement_lines(self, offset):
        """The first and the last line of the statement or expression that starts at this offset."""
        first = self.position(offset)[0]
        depth = 0
        for index in range(bisect.bisect_left(self.offsets, offset), len(self.tokens)):
            word = self.word(index)
            depth += word in ("(", "[")
            depth -= word in (")", "]")
            if depth < 0 or (depth == 0 and word in (";", "{", "}")):
                return first, self.position(self.offsets[index])[0]
        return first, self.line_count()

    def is_loop_keyword(self, index):
        """Whether this token is the first keyword of an iteration statement."""
        if self.word(index) in ("for", "do"):
            return True
        if self.word(index) != "while":
            return False
        opener = self.partner.get(index - 1)
        return not (self.word(index - 1) == "}" and opener is not None and self.word(opener - 1) == "do")

    def declared_type(self, name):
        """The return type of a function as written in its declaration in this file, or None."""
        found = re.search(r"(?:^|[;}\n])\s*((?:[A-Za-z_]\w*\s+)+\**\s*)%s\s*\(" % re.escape(name), self.code)
        if not found:
            return None
        words = [w for w in found.group(1).replace("*", " * ").split() if w not in ("extern", "static", "inline")]
        return None if set(words) & STATEMENT_WORDS else " ".join(words)


# Types. A type is ("int", lowest, highest), ("float", 32 or 64), or None when it is not known.

def integer(bits, signed):
    return ("int", -(1 << bits - 1), (1 << bits - 1) - 1) if signed else ("int", 0, (1 << bits) - 1)


def named_types(data_model):
    """C type names and the names after `__VERIFIER_nondet_`, for LP64 or ILP32."""
    word = 64 if data_model == "LP64" else 32
    types = {
        "bool": ("int", 0, 1), "_Bool": ("int", 0, 1), "float": ("float", 32), "double": ("float", 64),
        "int128": integer(128, True), "uint128": integer(128, False),
        "loff_t": integer(64, True), "sector_t": integer(64, False), "size_t": integer(word, False),
        "pthread_t": integer(word, False)}
    for names, bits, signed in (
            (("char", "signed char", "int8_t"), 8, True), (("unsigned char", "uchar", "u8", "uint8_t"), 8, False),
            (("short", "short int", "int16_t"), 16, True),
            (("unsigned short", "unsigned short int", "ushort", "u16", "uint16_t"), 16, False),
            (("int", "signed", "signed int", "int32_t"), 32, True),
            (("unsigned", "unsigned int", "uint", "u32", "uint32_t"), 32, False),
            (("long", "long int", "signed long"), word, True),
            (("unsigned long", "unsigned long int", "long unsigned int", "ulong"), word, False),
            (("long long", "long long int", "longlong", "int64_t"), 64, True),
            (("unsigned long long", "long long unsigned int", "ulonglong", "uint64_t", "u64"), 64, False),
            (("pointer", "pchar", "charp"), word, False)):
        for name in names:
            types[name] = integer(bits, signed)
    return types


def type_of_name(name, data_model):
    name = " ".join(w for w in name.split() if w not in ("const", "volatile"))
    if name.endswith("*"):
        return integer(64 if data_model == "LP64" else 32, False)
    return named_types(data_model).get(name)


def type_of_call(name, source, data_model):
    """The return type of a called function, or None when it is not known."""
    prefix = "__VERIFIER_nondet_"
    if name.startswith(prefix):
        found = named_types(data_model).get(name[len(prefix):])
        if found:
            return found
    written = source.declared_type(name) if name else None
    return type_of_name(written, data_model) if written else None


def misfit(value, kind):
    """Why a value is not a value of a type, or None."""
    if kind is None:
        return None
    if kind[0] == "float":
        try:
            exact = float(value) if kind[1] == 64 else to_float32(float(value))
        except OverflowError:
            exact = None
        same = exact == value if isinstance(value, int) else exact == value or value != value
        return None if same else "is not exactly a %d-bit floating-point number" % kind[1]
    if not isinstance(value, int):
        return "is a floating-point constant, but the type is an integer type"
    if not kind[1] <= value <= kind[2]:
        return "is outside the range %d .. %d of the type" % kind[1:]
    return None


def to_float32(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


# Constant expressions.

NUMBER = re.compile(
    r"(?P<hexfloat>0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+)(?P<hs>[fFlL]?)\Z"
    r"|(?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?P<fs>[fFlL]?)\Z"
    r"|(?P<int>0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)(?:[uU]?(?:ll|LL|l|L)?|(?:ll|LL|l|L)[uU])\Z")
ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
LEXEME = re.compile(
    r"\s*(?:(0[xX][\da-fA-F.]*(?:[pP][+-]?\d+)?\w*|\.?\d(?:[eE][+-]?|[\w.])*)"
    r"|('(?:\\.[^']*|[^'\\])')|(\S))")


class NotConstant(ValueError):
    """The text is not a constant expression this module can evaluate."""


def number(text):
    match = NUMBER.match(text)
    if not match:
        raise NotConstant("`%s` is not a C constant" % text)
    if match.group("int"):
        digits = match.group("int")
        octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
        return int(digits, 8 if octal else 0)
    if match.group("hexfloat"):
        value, suffix = float.fromhex(match.group("hexfloat")), match.group("hs")
    else:
        value, suffix = float(match.group("float")), match.group("fs")
    return to_float32(value) if suffix in ("f", "F") else value


def character(text):
    body = text[1:-1]
    if not body.startswith("\\"):
        code = ord(body)
    elif body[1] == "x":
        code = int(body[2:], 16)
    elif body[1] in "01234567":
        code = int(body[1:], 8)
    elif body[1:] in ESCAPES:
        code = ESCAPES[body[1:]]
    else:
        raise NotConstant("`%s` is not a C character constant" % text)
    return code - 256 if 127 < code < 256 else code


def constant(text):
    """The value (int or float) of a constant expression with + - * / unary + - ~ and parentheses."""
    items = [m.groups() for m in LEXEME.finditer(text.strip())]
    value, rest = _sum(items)
    if rest:
        raise NotConstant("`%s` is not a constant expression" % text)
    return value


def _sum(items):
    value, items = _product(items)
    while items and items[0][2] in ("+", "-"):
        right, rest = _product(items[1:])
        value, items = value + right if items[0][2] == "+" else value - right, rest
    return value, items


def _product(items):
    value, items = _unary(items)
    while items and items[0][2] in ("*", "/"):
        right, rest = _unary(items[1:])
        value, items = value * right if items[0][2] == "*" else _quotient(value, right), rest
    return value, items


def _quotient(left, right):
    if isinstance(left, int) and isinstance(right, int):
        if right == 0:
            raise NotConstant("division by zero in a constant expression")
        return int(Fraction(left, right))
    if right == 0:
        return float("nan") if left == 0 or left != left else float("inf") * (1 if left > 0 else -1)
    return left / right


def _unary(items):
    if not items:
        raise NotConstant("a constant is missing")
    plain, char, sign = items[0]
    if plain is not None:
        return number(plain), items[1:]
    if char is not None:
        return character(char), items[1:]
    if sign == "(":
        value, rest = _sum(items[1:])
        if not rest or rest[0][2] != ")":
            raise NotConstant("a closing parenthesis is missing")
        return value, rest[1:]
    if sign not in ("+", "-", "~"):
        raise NotConstant("`%s` does not start a constant" % sign)
    value, rest = _unary(items[1:])
    if sign == "~" and not isinstance(value, int):
        raise NotConstant("`~` needs an integer")
    return {"+": value, "-": -value, "~": ~value if isinstance(value, int) else value}[sign], rest
