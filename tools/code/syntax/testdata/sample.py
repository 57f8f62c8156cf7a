#!/usr/bin/env python3
"""Doc."""
import os

LIMIT = 3
name: str = "x"

class Base:
    pass

@decorated(1)
class Square(Base, metaclass=Meta):
    sides = 4
    width: int

    def __init__(self, side: int = 1) -> None:
        self.side = side

    @property
    def area(self):
        def helper():
            return 1
        return helper()

    async def _hidden(self): ...

async def main(*args, **kwargs) -> None:
    pass

def _private(): pass

if os.name == "nt":
    SEP = 1
elif os.name == "java": SEP = 2
else:
    with open("x") as handle:
        SEP = handle.read()
try:
    import json
except ImportError as failure:
    json = None
finally:
    done, [first, *others] = 1, [2]
for i, (key, value) in enumerate(pairs):
    while (line := read()):
        i = last = line
match value:
    case Point(x=px, y=0) | [*_, (a, b)] as point: pass
    case {"k": v, **kw}: found = v
    case str() | None: pass
total += 1
call = lambda s: (local := s)
x1 = 1; y1 = 2

class Config:
    if SEP:
        mode = 1
    path: str

    def setup(self):
        self.late = 1
        self.size = 2

    def __init__(self, path, *, other):
        self.path = path
        self.size: int = 0
        self.a, self.b = self.c = 1, 2
        with open(path) as self.file:
            for self.at in range(3):
                def inner():
                    self.no = 1
        self.path.no = other.no = 1
        self.map["k"] = 1
        self.setup = None

    @classmethod
    def make(cls):
        cls.registry = {}

    @staticmethod
    def still(self):
        self.no = 1

def plain(self):
    self.no = local = 1
