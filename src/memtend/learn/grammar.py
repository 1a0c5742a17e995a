"""What the syntax trees of each language call their imports, definitions and comments.

One tree-sitter grammar a language, each a wheel of its own, loaded when the first document of it comes.
"""

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MODULES = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "bash": ("tree_sitter_bash", "language"),
}
LANGUAGES = tuple(_MODULES)

IMPORTS = frozenset(
    {
        "import_statement",
        "import_from_statement",
        "future_import_statement",
        "import_declaration",
        "package_clause",
        "package_declaration",
        "use_declaration",
        "extern_crate_declaration",
        "preproc_include",
        "using_declaration",
    }
)
ATTACHED = frozenset({"attribute_item", "inner_attribute_item", "decorator", "attribute_declaration"})
"""What stands before a definition as a node of its own and belongs to it."""
WRAPPERS = frozenset({"decorated_definition", "export_statement", "template_declaration", "linkage_specification"})
"""A definition with something around it."""

_DEFINITIONS = {
    "function": "function_definition function_declaration generator_function_declaration function_item "
    "local_function function_signature",
    "method": "method_declaration method_definition constructor_declaration compact_constructor_declaration",
    "class": "class_definition class_declaration abstract_class_declaration class_specifier",
    "interface": "interface_declaration annotation_type_declaration",
    "enum": "enum_declaration enum_item enum_specifier",
    "struct": "struct_item struct_specifier record_declaration",
    "union": "union_item union_specifier",
    "trait": "trait_item",
    "impl": "impl_item",
    "module": "mod_item internal_module module",
    "namespace": "namespace_definition",
    "type": "type_declaration type_alias_declaration type_definition type_item alias_declaration concept_definition",
    "macro": "macro_definition preproc_def preproc_function_def",
}
KINDS = {node: kind for kind, nodes in _DEFINITIONS.items() for node in nodes.split()}
"""What a definition is called, by the type of its node."""
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "function_definition"})
_NAMING_FIELDS = ("name", "declarator", "left", "type")


class Definition(NamedTuple):
    """What a node defines: `class`, `Bar`."""

    kind: str
    name: str


@lru_cache(maxsize=len(_MODULES))
def parser_of(language: str) -> "Parser | None":
    """The parser of a language, None where there is no grammar for it."""
    if language not in _MODULES:
        return None
    from tree_sitter import Language, Parser

    module, function = _MODULES[language]
    try:
        grammar = getattr(import_module(module), function)()
    except ImportError:  # a system for which this grammar has no wheel
        return None
    return Parser(Language(grammar))


def unwrapped(node: "Node") -> "Node":
    """The definition inside decorators, an export or a template, else the node itself."""
    while node.type in WRAPPERS:
        inner = [child for child in node.named_children if child.type in KINDS or child.type in WRAPPERS]
        inner += [child for child in node.named_children if child.type in _BINDINGS]
        if not inner:
            break
        node = inner[0]
    return node


_BINDINGS = frozenset(
    {"lexical_declaration", "variable_declaration", "assignment_statement", "declaration", "expression_statement"}
)


def definition_of(node: "Node") -> Definition | None:
    """What a node defines, None where it defines nothing that has a name of its own."""
    node = unwrapped(node)
    kind = KINDS.get(node.type, "")
    if not kind and node.type in _BINDINGS:
        return _bound(node)
    if not kind:
        return None
    if kind == "impl":
        return Definition(kind, _impl_name(node))
    if kind == "type" and node.type == "type_declaration" and node.named_children:
        node = node.named_children[0]
    name = _name(node)
    receiver = node.child_by_field_name("receiver")
    if receiver is not None:
        name = f"{_text(receiver).strip('()').split()[-1].lstrip('*')}.{name}"
    return Definition(kind, name) if name else None


def _bound(node: "Node") -> Definition | None:
    """A function or class that is the value of a variable: `const f = () => …`, `M.f = function() … end`."""
    waiting = list(node.named_children)
    for child in waiting[:8]:
        waiting.extend(child.named_children[:4])
    for value in waiting:
        if value.type in _FUNCTION_VALUES or value.type == "class":
            first = node.named_children[0]
            name = _name(first) or _text(first).partition("=")[0].strip()
            return Definition("class" if value.type == "class" else "function", name)
    for child in waiting:  # C: `struct point { … } origin;`
        if child.type in KINDS and child.child_by_field_name("body") is not None:
            return definition_of(child)
    return None


def _impl_name(node: "Node") -> str:
    trait, kind = node.child_by_field_name("trait"), node.child_by_field_name("type")
    names = [_text(part) for part in (trait, kind) if part is not None]
    return " for ".join(names)


def _name(node: "Node") -> str:
    """The name in a node's naming field, through the declarators of C."""
    for _ in range(8):
        fields = (node.child_by_field_name(field) for field in _NAMING_FIELDS)
        inner = next((field for field in fields if field is not None), None)
        if inner is None:
            break
        node = inner
        if node.type.endswith(("identifier", "_name", "word")) and "declarator" not in node.type:
            return _text(node)
    text = _text(node).strip()
    return text if text and len(text) <= 80 and "\n" not in text and "{" not in text else ""


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")
