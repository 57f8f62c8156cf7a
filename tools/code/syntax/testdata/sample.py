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
