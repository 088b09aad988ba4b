#!/usr/bin/env python3
"""Runs every task natively and compares with its expected verdicts.

usage: confirm.py [-k] FOLDER [NAME-PART ...], where generate.py FOLDER wrote the tasks

False verdicts: the task runs on its witness and must show the violation. True verdicts: all combinations of
small, edge and program constants as inputs up to a limit, then random ones; none may show a violation. Memory
properties run under AddressSanitizer; lost and live blocks are counted at the end of each run.
Needs gcc and objcopy. Prints a table per family, and each task that was not confirmed.
"""
import collections, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS, ASAN_RUNS = 15000, 1500
DEFS = ['-D%s=h_%s' % (n, n) for n in ('malloc', 'calloc', 'realloc', 'free', 'abort', 'exit')]
DEFS += ['-Dmain=task_main', '-D__assert_fail=h_assert_fail']
FLAGS = ['-O0', '-w', '-fno-pie', '-fno-common', '-fno-zero-initialized-in-bss', '-fno-builtin', '-std=gnu11']
SHORT = {'unreach-call': 'u', 'valid-memsafety': 'm', 'valid-memcleanup': 'c', 'no-overflow': 'o', 'termination': 't'}


def read_yml(path):
    task = dict(props={}, sub=None, witness='', model='LP64', tags='')
    last = None
    with open(path) as h:
        for line in h:
            m = re.match(r"\s*-?\s*([\w]+):\s*'?(.*?)'?\s*$", line)
            if not m:
                continue
            k, v = m.groups()
            if k == 'property_file':
                last = SHORT.get(os.path.basename(v)[:-4])
            elif k == 'expected_verdict':
                task['props'][last] = v == 'true'
            elif k == 'subproperty':
                task['sub'] = v
            elif k == 'input_files':
                task['file'] = v
            elif k in ('witness', 'tags', 'format_version'):
                task[k] = v
            elif k == 'data_model':
                task['model'] = v
    return task


class Runner:
    def __init__(self, tmp):
        self.tmp = tmp
        for kind in ('A', 'B', 'I'):
            subprocess.run(['gcc', '-O1', '-w', '-fno-pie', '-c', os.path.join(HERE, 'native', 'harness.c'), '-o', f'{tmp}/h{kind}.o'] +
                           {'A': [], 'B': ['-DASAN'], 'I': ['-DILP32']}[kind], check=True)

    def build(self, src, kind, overflow):
        o, exe = f'{self.tmp}/t.o', f'{self.tmp}/t{kind}'
        extra = []
        if kind == 'B':
            extra = ['-fsanitize=address', '-fsanitize-address-use-after-scope']
        elif overflow:
            extra = ['-fsanitize=signed-integer-overflow,integer-divide-by-zero', '-fsanitize-undefined-trap-on-error']
        subprocess.run(['gcc'] + FLAGS + DEFS + extra + ['-x', 'c', '-c', src, '-o', o], check=True)
        subprocess.run(['objcopy', '--set-section-flags', '.bss=alloc,load,contents,data', '--rename-section', '.bss=taskbss',
                        '--rename-section', '.data=taskdata', o], check=True)
        subprocess.run(['gcc', '-no-pie'] + (['-fsanitize=address'] if kind == 'B' else []) + [o, f'{self.tmp}/h{kind}.o', '-o', exe], check=True)
        return exe

    def run(self, exe, args):
        env = dict(os.environ, ASAN_OPTIONS='detect_leaks=0:detect_stack_use_after_return=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64:malloc_context_size=0:symbolize=0')
        try:
            r = subprocess.run([exe] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=env, errors='replace')
        except subprocess.TimeoutExpired:
            return dict(timeout=1)
        out = dict(first=[l for l in r.stdout.splitlines() if l.startswith('FIRST')])
        m = re.search(r'^RESULT (.*)$', r.stdout, re.M)
        if m:
            for kv in m.group(1).split():
                k, v = kv.split('=')
                out[k] = int(v)
        m = re.search(r'AddressSanitizer:? ([\w-]+)', r.stderr)
        if m:
            out['asan'] = m.group(1)
        elif not out.get('end') and 'RESULT' not in r.stdout:
            out['died'] = r.returncode
        return out


def constants(text):
    tail = '\n'.join(text.splitlines()[-60:])
    vals = {int(x, 0) for x in re.findall(r'(?<![\w.])(0x[0-9a-fA-F]+|[1-9][0-9]*|0)[uUlL]*\b(?!\.)', tail)}
    vals |= {ord(c) for c in re.findall(r"'(.)'", tail)}
    vals = {v for v in vals if v < 1 << 64}
    vals |= {-v for v in vals if v}
    return ','.join(str(v) for v in sorted(vals, key=abs)[:60])


def check(task, folder, runner):
    """Problems found (empty: confirmed), and whether every 8-bit input was enumerated."""
    with open(os.path.join(folder, task['file'])) as h:
        text = h.read()
    consts = constants(text)
    witness = task['witness'].split()
    src = f'{runner.tmp}/t.c'
    text = re.sub(r'(void reach_error\([^)]*\) *\{)', r'extern void h_reach(void); \1 h_reach();', text)
    if task['model'] == 'ILP32':
        text = re.sub(r'\blong\b', 'int', text)
    with open(src, 'w') as h:
        h.write(text)
    props, bad, complete, runs = task['props'], [], False, 0
    false = [p for p in props if not props[p]]
    if set(props) & set('uot'):
        exe = runner.build(src, 'I' if task['model'] == 'ILP32' else 'A', True)
        if 'u' in false or 'o' in false:
            r = runner.run(exe, ['-w'] + witness)
            want = 'reach_error' if 'u' in false else 'overflow'
            if r.get(want) != 1:
                bad.append(f'witness does not give {want}: {r}')
        true = [p for p in 'uot' if props.get(p)]
        if true or 'u' in false:
            many = 'hard' in task['tags'] or 'many paths' in task['tags']
            full = runner.run(exe, ['-a', '300000' if 'many paths' in task['tags'] else '70000']) if 'm' not in false else {}
            rnd = runner.run(exe, ['-f', '1', str(RUNS), consts])
            complete = full.get('all') == 1
            for r in (full, rnd):
                if 'timeout' in r or 'died' in r:
                    bad.append(f'did not end: {r}')
                if 'u' in true and r.get('reach_error'):
                    bad.append(f'reaches the error: {r["first"]}')
                if 'o' in true and r.get('overflow'):
                    bad.append(f'overflows: {r["first"]}')
                if r.get('segv') and 'm' not in false:
                    bad.append(f'crashes: {r["first"]}')
                if r.get('overflow') and 'o' not in false:
                    bad.append(f'also overflows: {r["first"]}')
            ended = rnd.get('end', 0) + rnd.get('exit', 0)
            runs = sum(v for k, v in rnd.items() if k in ('end', 'abort', 'exit', 'assume', 'reach_error', 'overflow'))
            if not false and ended < 20:
                bad.append(f'only {ended} runs reached the end: {rnd}')
    if task['model'] != 'ILP32' and 'o' not in false:
        exe = runner.build(src, 'B', False)
        sub = task['sub']
        if 'm' in false or 'c' in false:
            r = runner.run(exe, ['-w'] + witness)
            if 'm' in false:
                kind = 'valid-deref' if 'asan' in r else 'valid-free' if r.get('bad-free') else 'valid-memtrack' if r.get('lost') else None
                if kind != sub:
                    bad.append(f'witness gives {kind}, not {sub}: {r}')
            elif r.get('live') != 1 or 'asan' in r:
                bad.append(f'witness leaves no block: {r}')
        for args in ([['-f', '1', str(ASAN_RUNS), consts]] if 'm' not in false else [['-f', str(s), '12', consts] for s in range(4)]):
            r = runner.run(exe, args)
            if 'timeout' in r or 'died' in r:
                bad.append(f'did not end: {r}')
            if 'asan' in r and not ('m' in false and sub == 'valid-deref'):
                bad.append(f'AddressSanitizer: {r}')
            if r.get('bad-free') and not ('m' in false and sub == 'valid-free'):
                bad.append(f'bad free: {r}')
            if r.get('lost') and not ('m' in false and sub == 'valid-memtrack') and 'm' in props:
                bad.append(f'loses memory: {r}')
            if r.get('live') and props.get('c'):
                bad.append(f'leaves memory: {r}')
            runs = max(runs, sum(v for k, v in r.items() if k in ('end', 'abort', 'exit', 'assume')))
    return bad, complete, runs


def main():
    words = [a for a in sys.argv[1:] if not a.startswith('-')]
    if not words:
        sys.exit('usage: confirm.py [-k] FOLDER [NAME-PART ...]')
    tasks, parts = words[0], words[1:]
    tmp = tempfile.mkdtemp()
    runner = Runner(tmp)
    table, problems = collections.OrderedDict(), 0
    byprop = collections.Counter()
    for fam in sorted(os.listdir(tasks)):
        folder = os.path.join(tasks, fam)
        if not os.path.isdir(folder):
            continue
        for f in sorted(os.listdir(folder)):
            if not f.endswith('.yml') or (parts and not any(p in fam + '/' + f for p in parts)):
                continue
            task = read_yml(os.path.join(folder, f))
            row = table.setdefault(fam, [0, 0, 0, 0, 0])
            try:
                bad, complete, runs = check(task, folder, runner)
            except subprocess.CalledProcessError as e:
                bad, complete, runs = [f'does not build: {e.cmd[0]}'], False, 0
            row[0] += 1
            for p, v in task['props'].items():
                byprop[p, v] += 1
            row[1 if all(task['props'].values()) else 2] += 1
            row[3] += not bad
            row[4] += complete
            if bad:
                problems += 1
                print(f'NOT CONFIRMED {fam}/{f}: ' + '; '.join(bad), flush=True)
    print(f"{'family':<14}{'tasks':>7}{'true':>7}{'false':>7}{'confirmed':>11}{'all inputs':>12}")
    for fam, row in list(table.items()) + [('sum', [sum(r[i] for r in table.values()) for i in range(5)])]:
        print(f'{fam:<14}{row[0]:>7}{row[1]:>7}{row[2]:>7}{row[3]:>11}{row[4]:>12}')
    for p, n in (('u', 'unreach-call'), ('m', 'valid-memsafety'), ('c', 'valid-memcleanup'), ('o', 'no-overflow'), ('t', 'termination')):
        print(f'{n:<18} true {byprop[p, True]:>4}  false {byprop[p, False]:>4}')
    shutil.rmtree(tmp)
    return problems > 0


if __name__ == '__main__':
    sys.exit(main())
