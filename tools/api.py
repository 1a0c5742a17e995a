"""Writes docs/reference/api.txt: every public name of `import memtend` with its signature, members and fields.

What stands there is promised to programs. A change of it is seen in the difference, and a test fails until this
was run: nobody changes the interface without noticing.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import memtend

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "api.txt"


def lines() -> Iterator[str]:
    """One line for each thing that a program may use, as its source declares it."""
    for name in sorted(memtend.__all__):
        value = getattr(memtend, name)
        if not inspect.isclass(value):
            yield f"{name}: {getattr(type(value), '__name__', '')}"
            continue
        declared, inner = _declared(value), [_declared(base) for base in value.__bases__ if _is_inner(base)]
        hidden = {each.name for each in inner}
        bases = ", ".join(base for base in map(ast.unparse, declared.bases) if base not in hidden)
        yield f"class {name}({bases})" if bases else f"class {name}"
        members = (_member(node) for part in (*inner, declared) for node in part.body)
        shown = (member.replace("Self", name) for member in members if member and not member.startswith("_"))
        yield from sorted(f"    {name}.{member}" for member in shown)


def _declared(value: type) -> ast.ClassDef:
    (declared,) = ast.parse(dedent(inspect.getsource(value))).body
    assert isinstance(declared, ast.ClassDef)
    return declared


def _is_inner(base: type) -> bool:
    """Whether a base is ours and not public: then what it has counts as the class's own."""
    return base.__module__.partition(".")[0] == memtend.__name__ and base.__name__ not in memtend.__all__


def _member(node: ast.stmt) -> str:
    """A field, a value of an enumeration, a property or a method; empty for anything else."""
    if isinstance(node, ast.AnnAssign | ast.Assign):
        return ast.unparse(node)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    returned = f" -> {_type(node.returns)}" if node.returns else ""
    if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
        return f"{node.name}{returned}"
    for argument in (*node.args.args, *node.args.kwonlyargs):
        if argument.annotation is not None:
            argument.annotation = ast.Name(_type(argument.annotation))
    return f"{node.name}({ast.unparse(node.args)}){returned}"


def _type(annotation: ast.expr) -> str:
    """An annotation without the quotes that keep it from being loaded."""
    return annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)  # type: ignore[return-value]


def page() -> str:
    """The whole page."""
    return "\n".join(lines()) + "\n"


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
