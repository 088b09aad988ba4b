#!/usr/bin/env python3
"""Writes the verification tasks to a folder: FAMILY/NAME.c or NAME.i, and NAME.yml.

usage: generate.py FOLDER

Each file in families/ describes templates by calls of t(...); see the notes at t below.
The output depends only on those files and, for the .i tasks, on the C headers installed.
"""
import hashlib, os, random, re, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROP = {'u': 'unreach-call', 'm': 'valid-memsafety', 'c': 'valid-memcleanup', 'o': 'no-overflow', 't': 'termination'}
CTYPE = {'bool': '_Bool', 'char': 'char', 'uchar': 'unsigned char', 'short': 'short', 'ushort': 'unsigned short',
         'int': 'int', 'uint': 'unsigned int', 'long': 'long', 'ulong': 'unsigned long', 'longlong': 'long long',
         'ulonglong': 'unsigned long long', 'size_t': 'size_t', 'float': 'float', 'double': 'double',
         'unsigned': 'unsigned', 'unsigned_int': 'unsigned int', 'unsigned_char': 'unsigned char',
         'u8': 'unsigned char', 'u16': 'unsigned short', 'u32': 'unsigned int'}
STRING_H = {'memcpy': 'extern void *memcpy(void *, const void *, size_t);', 'memset': 'extern void *memset(void *, int, size_t);',
            'strlen': 'extern size_t strlen(const char *);'}
TASKS = []


def t(family, name, doc, body, params=({},), base=None, safe='u', bugs=(), safes=None, model='LP64', tags=(), inc=()):
    """One template.
    body    C text. $int() is __VERIFIER_nondet_int(), ASSERT(e) and ASSUME(e) as one thinks, @X a placeholder;
            @T with a value such as 'uint' gives also @CT, the C type 'unsigned int'.
    params  a list of placeholder values: one set of tasks for each (at most three)
    base    placeholder values of the correct program
    safe    properties that hold of the correct program: letters of PROP
    safes   other correct variants: (name, values)
    bugs    (name, values, violated property, witness, properties that still hold). The violated property is
            a letter, for memory safety with the subproperty ('m:valid-deref'); values, witness may be functions
            of the parameters.
    """
    assert len(params) <= 3, name
    for k, p in enumerate(params):
        suffix = f'_{k + 1}' if len(params) > 1 else ''
        def get(v):
            return v(p) if callable(v) else v
        rows = [('', {}, safe, None, None)] if safe else []
        rows += [(n, get(v), safe, None, None) for n, v in (safes or ())]
        for b in bugs:
            rows.append((b[0], get(b[1]), b[4] if len(b) > 4 else '', b[2], get(b[3])))
        for n, values, holds, broken, witness in rows:
            if broken in ('m:valid-deref', 'm:valid-free', 'o'):
                holds = ''  # undefined behaviour: nothing else is claimed
            full = dict(base or {}); full.update(p); full.update(values)
            task = dict(family=family, name='_'.join(x for x in (name, n) if x) + suffix, doc=doc, body=body,
                        values=full, holds=holds, broken=broken, witness=witness, model=model,
                        tags=list(tags), inc=list(inc))
            TASKS.append(task)


def fill(text, values):
    values = {k: str(v) for k, v in values.items()}
    for k in [k for k in values if k[0] == 'T' and values[k] in CTYPE]:
        values['C' + k] = CTYPE[values[k]]
    keys = sorted(values, key=len, reverse=True)
    for _ in range(4):
        for k in keys:
            text = text.replace('@' + k, values[k])
    left = re.search(r'@[A-Z]\w*', text)
    assert not left, (left, text)
    return text


def render(task, rng):
    """The program's text, and whether it becomes a .i file."""
    name = task['name']
    body = fill(task['body'].strip('\n'), task['values'])
    body = '\n'.join(l for l in (l.rstrip() for l in body.split('\n')) if l != '//-')
    ilp = task['model'] == 'ILP32'
    pre = not ilp and rng.random() < 0.34
    form = rng.choice(['assert.h', '__assert_fail', '__assert_fail', 'empty'])
    if ilp:
        form = '__assert_fail'
    assume = rng.choice(['own', 'own', 'own', 'builtin', 'inline'])
    nondets = sorted(set(re.findall(r'\$(\w+)\(\)', body)))
    heap = re.search(r'\b(malloc|calloc|realloc|free|exit)\s*\(', body)
    strings = re.search(r'\b(memcpy|memset|strlen|strcpy|strncpy|memmove|strcmp)\s*\(', body)
    uses_assert, uses_assume = 'ASSERT(' in body, 'ASSUME(' in body
    uses_reach = uses_assert or 'reach_error(' in body
    sized = 'size_t' in body
    body = re.sub(r'\$(\w+)\(\)', r'__VERIFIER_nondet_\1()', body)
    body = body.replace('ASSERT(', '__VERIFIER_assert(')
    if assume == 'builtin':
        body = body.replace('ASSUME(', '__VERIFIER_assume(')
    else:
        body = body.replace('ASSUME(', 'assume_abort_if_not(')
    if rng.random() < 0.3:
        body = body.replace('int main(void)', 'int main()')
    out = ['/* ' + task['doc'] + ' */']
    incs = [f'#include <{h}>' for h in task['inc']]
    if heap:
        incs.append('#include <stdlib.h>')
    if strings and not (heap and pre):
        incs.append('#include <string.h>')
    if sized and not heap and not strings:
        incs.append('#include <stddef.h>')
    if uses_reach and form == 'assert.h':
        incs.append('#include <assert.h>')
    out += incs
    if strings and heap and pre:  # keeps the preprocessed file small
        out += [STRING_H[f] for f in sorted(STRING_H) if re.search(r'\b%s\s*\(' % f, body)]
    if not heap and (uses_assert or (uses_assume and assume != 'builtin') or re.search(r'\babort\(', body)):
        out.append('extern void abort(void);')
    if uses_reach:
        if form == 'assert.h':
            out.append('void reach_error() { assert(0); }')
        elif form == '__assert_fail':
            out.append('extern void __assert_fail(const char *, const char *, unsigned int, const char *) '
                       '__attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__noreturn__));')
            out.append(f'void reach_error() {{ __assert_fail("0", "{name}.c", {len(out) + 1}, "reach_error"); }}')
        else:
            out.append('void reach_error(void) {}')
    for n in nondets:
        out.append(f'extern {CTYPE[n]} __VERIFIER_nondet_{n}({rng.choice(["void", "void", ""])});')
    if uses_assume:
        if assume == 'builtin':
            out.append('extern void __VERIFIER_assume(int);')
        elif assume == 'own':
            out += ['void assume_abort_if_not(int cond) {', '  if (!cond) { abort(); }', '}']
        else:
            out.append('static void assume_abort_if_not(int cond) { if (!cond) abort(); }')
    if uses_assert:
        out += ['void __VERIFIER_assert(int cond) {', '  if (!(cond)) {', '    ERROR: {reach_error();abort();}', '  }', '  return;', '}']
    out += ['', body, '']
    return '\n'.join(out), pre


def yml(task, file, version):
    lines = [f"format_version: '{version}'", '', f"input_files: '{file}'", '']
    if task['tags']:
        lines += ['tags: [' + ', '.join(task['tags']) + ']', '']
    lines.append('properties:')
    def prop(p, verdict=None, sub=None):
        lines.append(f'  - property_file: ../properties/{p}.prp')
        if verdict is not None:
            lines.append(f'    expected_verdict: {verdict}')
        if sub:
            lines.append(f'    subproperty: {sub}')
    for p in 'umcot':
        if task['broken'] and task['broken'][0] == p:
            prop(PROP[p], 'false', task['broken'][2:] or None)
        elif p in task['holds']:
            prop(PROP[p], 'true')
    if task['broken'] == 'u':
        prop('coverage-error-call')
    prop('coverage-branches')
    if task['witness'] is not None:
        lines += ['', f"witness: '{task['witness']}'"]
    if version == '2.0':
        lines += ['', 'options:', '  language: C', f"  data_model: {task['model']}"]
    return '\n'.join(lines) + '\n'


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: generate.py FOLDER')
    out = sys.argv[1]
    shutil.copytree(os.path.join(HERE, 'properties'), os.path.join(out, 'properties'), dirs_exist_ok=True)
    fams = sorted(f for f in os.listdir(os.path.join(HERE, 'families')) if f.endswith('.py'))
    for f in fams:
        with open(os.path.join(HERE, 'families', f)) as h:
            exec(compile(h.read(), f, 'exec'), {'t': t})
    for fam in {x['family'] for x in TASKS}:
        shutil.rmtree(os.path.join(out, fam), ignore_errors=True)
    seen = set()
    for task in TASKS:
        key = task['family'] + '/' + task['name']
        assert key not in seen, key
        seen.add(key)
        rng = random.Random(int(hashlib.sha256(key.encode()).hexdigest()[:12], 16))
        text, pre = render(task, rng)
        assert text.count('\n') <= 60, (key, text.count('\n'))
        folder = os.path.join(out, task['family'])
        os.makedirs(folder, exist_ok=True)
        c = os.path.join(folder, task['name'] + '.c')
        with open(c, 'w') as h:
            h.write(text)
        file = task['name'] + '.c'
        if pre:
            file = task['name'] + '.i'
            # Most preprocessed tasks come from older compilers: no attribute malloc with arguments in the headers.
            old = [] if rng.random() < 0.06 else ['-U__GNUC__', '-D__GNUC__=9']
            subprocess.run(['gcc', '-E'] + old + [task['name'] + '.c', '-o', file], cwd=folder, check=True)
            os.remove(c)
        plain = not re.search(r'\blong\b|size_t|sizeof', text)
        version = '1.0' if plain and not pre and rng.random() < 0.2 else '2.0'
        with open(os.path.join(folder, task['name'] + '.yml'), 'w') as h:
            h.write(yml(task, file, version))
    print(len(TASKS), 'tasks')


if __name__ == '__main__':
    main()
