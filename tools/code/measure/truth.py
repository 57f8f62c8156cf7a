import ast, json, sys, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(10000)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
TYPES = tuple(getattr(ast, n) for n in ("TypeAlias",) if hasattr(ast, n))
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)


def inside(node):
    """Gives the nodes of the scope of a function, class or module, in their order, with what it defines but not what is in that."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, FUNCTIONS + (ast.ClassDef,)):
            yield from inside(child)


def names(target):
    """Gives the names that are stored to in what is assigned to."""
    return [n for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def bound(scope):
    """Gives the names that the statements of a module or class bind, as (name, line, column, whether an assignment does)."""
    passed = set()  # names of comprehensions and what += changes
    found = []
    for n in inside(scope):
        if isinstance(n, ast.comprehension):
            passed.update(map(id, names(n.target)))
        elif isinstance(n, ast.AugAssign):
            passed.add(id(n.target))
        elif isinstance(n, ASSIGNMENTS):
            for t in n.targets if isinstance(n, ast.Assign) else [n.target]:
                for m in names(t):
                    passed.add(id(m))
                    found.append((m.id, m.lineno, m.col_offset, True))
        elif isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name:
            found.append((n.name, n.end_lineno if isinstance(n, ast.MatchAs) else n.lineno, n.end_col_offset, False))
        elif isinstance(n, ast.MatchMapping) and n.rest:
            found.append((n.rest, n.end_lineno, n.end_col_offset, False))
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in passed:
            found.append((n.id, n.lineno, n.col_offset, False))
    return sorted(found, key=lambda f: f[1:3])


def variables(scope):
    """Of what is bound otherwise than by assigning, the first counts, where nothing bound the name before."""
    known = {n.name for n in inside(scope) if isinstance(n, FUNCTIONS[:2] + (ast.ClassDef,))}
    seen = set()
    for name, line, _, assigned in bound(scope):
        if assigned or name not in seen and name not in known:
            yield name, line
        seen.add(name)


def fields(cls):
    """What the methods of a class give to the object or class they are called on: once, where __init__ does or else the first."""
    own = {n.name for n in inside(cls) if isinstance(n, FUNCTIONS[:2] + (ast.ClassDef,))} | {f[0] for f in bound(cls)}
    methods = [n for n in inside(cls) if isinstance(n, FUNCTIONS[:2])]
    chosen = {}
    for f in sorted(methods, key=lambda f: (f.name != "__init__", f.lineno)):
        first = (f.args.posonlyargs + f.args.args)[:1]
        if not first or any("staticmethod" in ast.dump(d) for d in f.decorator_list):
            continue
        stored = []
        for n in inside(f):
            targets = n.targets if isinstance(n, ast.Assign) else [n.target] if isinstance(n, (ast.AnnAssign, ast.For, ast.AsyncFor)) else \
                [i.optional_vars for i in n.items if i.optional_vars] if isinstance(n, (ast.With, ast.AsyncWith)) else []
            stored += [m for t in targets for m in ast.walk(t) if isinstance(m, ast.Attribute) and isinstance(m.ctx, ast.Store)]
        for m in sorted(stored, key=lambda m: (m.lineno, m.col_offset)):
            if isinstance(m.value, ast.Name) and m.value.id == first[0].arg and m.attr not in own:
                chosen.setdefault(m.attr, m.end_lineno)
    return chosen.items()


for line in sys.stdin:
    file = line.rstrip("\n")
    try:
        with open(file, "rb") as f:
            tree = ast.parse(f.read())
    except (SyntaxError, ValueError, RecursionError):
        continue
    found = [[n.name, n.lineno] for n in ast.walk(tree) if isinstance(n, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))]
    found += [[n.name.id, n.lineno] for n in ast.walk(tree) if isinstance(n, TYPES)]
    for scope in ast.walk(tree):
        if isinstance(scope, (ast.Module, ast.ClassDef)):
            found += variables(scope)
        if isinstance(scope, ast.ClassDef):
            found += fields(scope)
    print(json.dumps({"file": file, "symbols": found}))
