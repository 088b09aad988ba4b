#!/usr/bin/env python3
"""Paths and comparisons of dijkstra.c and kruskal.c, counted without Cairn: both algorithms once more, over Z3's integers.

Usage: graphs.py NAME. Needs Z3's Python package (z3-solver). Each comparison that inputs may decide is asked both ways,
as ASE'21's baseline asks it, so the paper's queries are twice as many. Prints "paths P comparisons C".
"""
import sys
import z3

NODES, INFINITY = 10, 10**6
# Both ends of each edge, its weight, and for which algorithms inputs take its place.
EDGES = [
    (0, 1, 4, "dk"), (1, 7, 11, "dk"), (6, 8, 6, "dk"), (2, 5, 4, "dk"), (3, 4, 9, "d"), (7, 8, 7, "d"), (4, 9, 10, "d"),
    (0, 7, 8, ""), (1, 2, 8, ""), (2, 3, 7, ""), (2, 8, 2, ""), (3, 5, 14, ""), (4, 5, 10, ""), (5, 6, 2, ""),
    (6, 7, 1, ""), (3, 9, 10, ""),
]


def weights(algorithm, none):
    """The matrix, and what holds for its inputs; `none` where there is no edge."""
    matrix, bounds = [[none] * NODES for _ in range(NODES)], []
    for a, b, weight, symbolic in EDGES:
        for u, v in ((a, b), (b, a)):
            matrix[u][v] = weight
            if algorithm in symbolic:
                matrix[u][v] = z3.Int(f"w{u}{v}")
                bounds.append(z3.And(1 <= matrix[u][v], matrix[u][v] <= 50))
    return matrix, bounds


class Paths:
    """All paths of a function of its branches, depth first: each path runs it from the start."""

    def __init__(self, bounds):
        self.solver = z3.SolverFor("QF_LIA")
        self.solver.add(bounds)
        self.taken = []  # condition, outcome, whether the other one is left to be explored
        self.at = self.paths = self.comparisons = 0

    def possible(self, condition):
        self.solver.push()
        self.solver.add(condition)
        found = self.solver.check() == z3.sat
        self.solver.pop()
        return found

    def branch(self, condition):
        if isinstance(condition, bool):
            return condition
        if self.at == len(self.taken):
            self.comparisons += 1
            yes, no = self.possible(condition), self.possible(z3.Not(condition))
            self.taken.append((condition, yes, yes and no))
            self.solver.push()
            self.solver.add(condition if yes else z3.Not(condition))
        self.at += 1
        return self.taken[self.at - 1][1]

    def explore(self, function):
        while True:
            self.at = 0
            function(self.branch)
            self.paths += 1
            while self.taken and not self.taken[-1][2]:
                self.taken.pop()
                self.solver.pop()
            if not self.taken:
                return
            condition = self.taken.pop()[0]
            self.solver.pop()
            self.taken.append((condition, False, False))
            self.solver.push()
            self.solver.add(z3.Not(condition))


def dijkstra(matrix, branch):
    distance, done = [0] + [INFINITY] * (NODES - 1), set()
    for _ in range(NODES - 1):
        least, near = INFINITY, None
        for v in range(NODES):
            if v not in done and branch(distance[v] <= least):
                least, near = distance[v], v
        done.add(near)
        for v in range(NODES):
            if v in done or not branch(matrix[near][v] > 0) or not branch(distance[near] < INFINITY):
                continue
            way = distance[near] + matrix[near][v]
            if branch(way < distance[v]):
                distance[v] = way


def kruskal(matrix, branch):
    tree = list(range(NODES))
    for _ in range(NODES - 1):
        least, ends = INFINITY, None
        for u in range(NODES):
            for v in range(NODES):
                if tree[u] != tree[v] and branch(matrix[u][v] < least):
                    least, ends = matrix[u][v], (u, v)
        old, new = tree[ends[0]], tree[ends[1]]
        tree = [new if t == old else t for t in tree]


def main():
    name = sys.argv[1]
    algorithm, none = {"dijkstra": (dijkstra, 0), "kruskal": (kruskal, INFINITY)}[name]
    matrix, bounds = weights(name[0], none)
    paths = Paths(bounds)
    paths.explore(lambda branch: algorithm(matrix, branch))
    print(f"paths {paths.paths} comparisons {paths.comparisons}")


main()
