"""What decides the behaviour of a Python object, as far as it can be read, as one hash.

Read are an object's class, its attributes, the source or the code of functions, what these closed
over, their defaults, and the values of the globals they use; of chat models their settings; of
compiled graphs their nodes and edges. Left out are credentials, connections, callbacks, tags, and
what stores and checkpointers hold. Two objects with one hash may still differ in what is unread,
such as the rows behind a connection.
"""

import hashlib
import inspect
import re
import types
from collections.abc import Callable, Mapping
from enum import Enum
from functools import _lru_cache_wrapper, partial
from typing import Any, NamedTuple

from langchain_core.language_models import BaseLanguageModel
from pydantic import BaseModel

from crab_graph.agents.object_parts import (
    INERT,
    annotations_of,
    attributes_of,
    content_of,
    has_own_state,
    inert_parts,
    names_secret,
)
from crab_graph.agents.written_code import attributes_in, dotted, globals_in, is_own, source_sha256
from crab_graph.models.secrets import (
    environment_secrets,
    remember_credentials,
    without_key_shapes,
    without_secrets,
)
from crab_graph.schema import digest

Place = tuple[str, ...]
Node = list[Any]

_MOST_VALUES = 100_000
_DEEPEST = 80
_SHOWN_MODELS = 3
_SECRET = "a credential"
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_BESIDE = frozenset(
    "callbacks callback_manager tags metadata run_name run_id verbose lc_attributes".split()
)
"""What LangChain's objects carry that changes no answer."""
_TYPING = frozenset("typing typing_extensions".split())
_WEIGHTS = frozenset("torch tensorflow jax jaxlib mlx".split())
"""Packages whose arrays are too large to be read, and too much of a model to be left out."""
_SAMPLING = (
    "model model_name model_id deployment_name azure_deployment temperature top_p top_k seed "
    "max_tokens reasoning_effort base_url openai_api_base"
).split()
_READ_OF: Mapping[str, tuple[str, ...]] = {
    "langgraph.graph.state.CompiledStateGraph": (
        *("builder", "name", "interrupt_before_nodes", "interrupt_after_nodes"),
        *("checkpointer", "store", "step_timeout", "retry_policy", "config"),
    ),
    "langgraph.graph.state.StateGraph": (
        *("nodes", "edges", "branches", "waiting_edges", "channels"),
        *("state_schema", "input_schema", "output_schema", "context_schema"),
    ),
    "langgraph.checkpoint.base.BaseCheckpointSaver": (),
    "langgraph.store.base.BaseStore": (),
    "langgraph.cache.base.BaseCache": (),
    "langchain_core.caches.BaseCache": (),
    "crab_graph.domains.benchmark.Benchmark": ("sha256",),
    "crab_graph.domains.task.Task": ("id",),
    "crab_graph.runs.run.Run": (),
}
"""Of some classes only these attributes."""
_DROPPED = frozenset("_abc_impl model_config model_fields model_computed_fields".split())


class Fingerprint(NamedTuple):
    """What an object is made of: a hash of it all, one of its code, and its models in words.

    `unread` says which values cannot be read, and where they stand.
    """

    sha256: str
    source: str
    models: str
    unread: tuple[str, ...]


def fingerprint(value: object) -> Fingerprint:
    """Read an object, which is not changed; nothing is called but what tells how it is copied."""
    reader = _ObjectReader()
    whole = reader.read(value, ())
    models = sorted(set(reader.models))
    more = len(models) - _SHOWN_MODELS
    shown = ", ".join(models[:_SHOWN_MODELS]) + (f" and {more} more" if more > 0 else "")
    unread = tuple(dict.fromkeys(reader.unread))
    return Fingerprint(whole, digest(sorted(reader.sources)), shown, unread)


class _ObjectReader:
    """Reads each value once; one that holds itself is known by having been begun."""

    def __init__(self) -> None:
        self.sources: set[str] = set()
        self.models: list[str] = []
        self.unread: list[str] = []
        self._secrets = environment_secrets()
        self._seen: dict[int, tuple[object, str]] = {}
        self._left = _MOST_VALUES
        self._inside = 0  # of what a library keeps to itself, where nothing need be readable

    def read(self, value: Any, place: Place) -> str:
        """Return the hash of a value that stands at a place."""
        self._left -= 1
        if self._left < 0 or len(place) > _DEEPEST:
            return self._refused(place, "holds more than can be read")
        if place and isinstance(value, str | bytes | list | tuple) and names_secret(place[-1]):
            remember_credentials(value)
            return digest(_SECRET)
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return digest(self._plain(value))
        if id(value) in self._seen:
            return self._seen[id(value)][1]
        self._seen[id(value)] = (value, "begun")
        try:
            found = digest(self._node(value, place))
        except Exception:  # whatever attributes of others do
            found = self._refused(place, f"is a {type(value).__name__}")
        self._seen[id(value)] = (value, found)
        return found

    def _refused(self, place: Place, why: str) -> str:
        if not self._inside:
            named = ".".join(one for one in place[-3:] if not one.isdigit())
            self.unread.append(f"{named or 'it'} {why}")
        return "unread"

    def _plain(self, value: Any) -> Node:
        if isinstance(value, Enum):
            return ["enum", dotted(type(value)), value.name]
        if isinstance(value, bytes):
            return ["bytes", hashlib.sha256(value).hexdigest()]
        if isinstance(value, str):
            text = _UUID.sub("uuid", without_key_shapes(str(value), self._secrets))
            return ["text", text.encode("utf-8", "replace").decode()]
        return [type(value).__name__, repr(value)]

    def _node(self, value: Any, place: Place) -> Node:
        kind = type(value)
        if hasattr(kind, "get_secret_value"):
            return [_SECRET]
        for kinds, read in _READERS:
            if isinstance(value, kinds):
                return read(self, value, place)
        root = kind.__module__.partition(".")[0]
        if root in INERT:
            return inert_parts(value, root)
        if root in _WEIGHTS and hasattr(value, "shape"):
            self.unread.append(f"{place[-1] if place else 'it'} holds weights")
            return ["weights", dotted(kind), str(value.shape)]
        if root in _TYPING:
            return ["type", _ADDRESS.sub("", repr(value))]
        for base in kind.__mro__:
            if (names := _READ_OF.get(dotted(base))) is not None:
                chosen = {name: getattr(value, name, None) for name in names}
                return ["object", self.read(kind, place), self._items(chosen, place)]
        if isinstance(value, BaseModel):
            return self._pydantic(value, place)
        return self._object(value, place)

    def _parts(self, what: str, place: Place, *parts: Any) -> Node:
        return [what, *(self.read(one, place) for one in parts)]

    def _items(self, found: Mapping[Any, Any], place: Place) -> Node:
        """Read a mapping, whose order decides nothing."""
        beside = _BESIDE if place and place[-1] == "config" else ()
        items = [
            [self.read(key, place), self.read(item, (*place, str(key)))]
            for key, item in found.items()
            if key not in beside
        ]
        return sorted(items)

    def _container(self, value: Any, place: Place) -> Node:
        if isinstance(value, Mapping):
            items = self._items(value, place)
        else:
            items = [self.read(one, (*place, str(n))) for n, one in enumerate(value)]
            items = sorted(items) if isinstance(value, set | frozenset) else items
        node: Node = [type(value).__name__, items]
        if vars_of := getattr(value, "__dict__", None):
            node.append(self._items(vars_of, place))
        return node

    def _module(self, value: types.ModuleType, place: Place) -> Node:
        """Read a module: the user's own by its source; functions tell what they use of it."""
        name = value.__name__
        if not is_own(name):
            return ["module", name]
        self.sources.add(f"{name} {source_sha256(name)}")
        return ["module", name, source_sha256(name)]

    def _function(self, value: types.FunctionType, place: Place) -> Node:
        module, code = value.__globals__.get("__name__"), value.__code__
        source = source_sha256(module)
        written = [module, value.__qualname__, source, code.co_firstlineno if source else 0]
        if source is None or value.__name__ == "<lambda>":
            written.append(self.read(code, place))
        self.sources.add(digest(written))
        cells = zip(code.co_freevars, value.__closure__ or (), strict=False)
        closure = {name: content_of(cell) for name, cell in cells}
        kept = [closure, value.__kwdefaults__ or {}, vars(value)]
        if is_own(module):
            kept.append(self._globals(value))
        given = self.read(value.__defaults__ or (), place)
        return ["function", *written, given, *(self._items(one, place) for one in kept)]

    def _globals(self, function: types.FunctionType) -> dict[str, Any]:
        """Return the globals that a function uses, of modules of the user's own what it takes."""
        code, held = function.__code__, function.__globals__
        found = {name: held[name] for name in globals_in(code) if name in held}
        for name, one in tuple(found.items()):
            if isinstance(one, types.ModuleType) and is_own(one.__name__):
                own = vars(one)
                found |= {f"{name}.{used}": own[used] for used in attributes_in(code) & own.keys()}
        return found

    def _builtin(self, value: Any, place: Place) -> Node:
        bound = getattr(value, "__self__", None)
        name = getattr(value, "__qualname__", value.__name__)
        held = () if isinstance(bound, types.ModuleType) else (bound,)
        return ["builtin", name, *(self.read(one, place) for one in held)]

    def _generator(self, value: Any, place: Place) -> Node:
        frame = value.gi_frame
        if frame is None:
            return ["finished"]
        held = self._items(inspect.getgeneratorlocals(value), place)
        return ["generator", self.read(value.gi_code, place), frame.f_lasti, held]

    def _code(self, value: types.CodeType, place: Place) -> Node:
        shape: Node = [value.co_code.hex(), value.co_names, value.co_varnames, value.co_freevars]
        shape += [value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount]
        return ["code", *shape, value.co_flags, self.read(value.co_consts, place)]

    def _class(self, value: type, place: Place) -> Node:
        module = value.__module__
        source = source_sha256(module)
        node: Node = ["class", dotted(value), source]
        self.sources.add(digest(node))
        if is_own(module) or "<locals>" in value.__qualname__:
            fields = getattr(value, "model_fields", None) or annotations_of(value)
            node.append(_ADDRESS.sub("", repr(fields)))
        if not is_own(module):
            return node
        own = {
            name: one
            for name, one in vars(value).items()
            if name not in _DROPPED
            and (not name.startswith("__") or isinstance(one, types.FunctionType))
        }
        bases = [self.read(one, place) for one in value.__mro__[1:] if is_own(one.__module__)]
        return [*node, bases, self._items(own, place)]

    def _pydantic(self, value: BaseModel, place: Place) -> Node:
        kind = type(value)
        own = {
            name for one in kind.__mro__ if is_own(one.__module__) for name in annotations_of(one)
        }
        fields = {
            name: vars(value).get(name)
            for name, field in kind.model_fields.items()
            if name in own or not (field.exclude or name in _BESIDE)
        }
        kept = [fields, value.__pydantic_extra__ or {}]
        if is_own(kind.__module__):
            kept.append(value.__pydantic_private__ or {})
        node = ["object", self.read(kind, place), *(self._items(one, place) for one in kept)]
        if isinstance(value, BaseLanguageModel):
            said = {name: fields[name] for name in _SAMPLING if fields.get(name) is not None}
            shown = ", ".join(f"{name}={without_secrets(str(one))}" for name, one in said.items())
            self.models.append(f"{kind.__name__} #{digest(node)[:8]} ({shown})")
        return node

    def _object(self, value: Any, place: Place) -> Node:
        kind = type(value)
        found = attributes_of(value)
        if is_own(kind.__module__) or kind.__module__ == "types":
            return ["object", self.read(kind, place), self._items(found or {}, place)]
        if found is None or has_own_state(kind):
            return self._reduced(value, place)
        public = {n: one for n, one in found.items() if not n.startswith("_") and n not in _BESIDE}
        node: Node = ["object", self.read(kind, place), self._items(public, place)]
        private = {name: one for name, one in found.items() if name.startswith("_")}
        self._inside += 1
        try:
            return [*node, self._items(private, place)]
        finally:
            self._inside -= 1

    def _reduced(self, value: Any, place: Place) -> Node:
        """Read what a copy of an object would be made from."""
        made = value.__reduce_ex__(4)
        if isinstance(made, str):
            return ["named", made]
        parts = [list(one) if n > 2 and one is not None else one for n, one in enumerate(made[:5])]
        return self._parts("reduced", place, type(value), *parts)


_Read = Callable[[_ObjectReader, Any, Place], Node]
_READERS: tuple[tuple[Any, _Read], ...] = (
    (Enum, lambda reader, value, place: reader._plain(value)),
    (types.GenericAlias | types.UnionType, lambda _, value, place: ["type", repr(value)]),
    (type, _ObjectReader._class),
    (types.ModuleType, _ObjectReader._module),
    (types.FunctionType, _ObjectReader._function),
    (types.CodeType, _ObjectReader._code),
    (types.GeneratorType, _ObjectReader._generator),
    (
        types.MethodType,
        lambda reader, it, place: reader._parts("method", place, it.__func__, it.__self__),
    ),
    (
        types.BuiltinFunctionType
        | types.MethodWrapperType
        | types.WrapperDescriptorType
        | types.MethodDescriptorType
        | types.ClassMethodDescriptorType
        | types.GetSetDescriptorType
        | types.MemberDescriptorType,
        _ObjectReader._builtin,
    ),
    (
        partial,
        lambda reader, it, place: reader._parts("partial", place, it.func, it.args, it.keywords),
    ),
    (
        _lru_cache_wrapper,
        lambda reader, it, place: reader._parts("cached", place, it.__wrapped__),
    ),
    (
        staticmethod | classmethod,
        lambda reader, it, place: reader._parts("wrapped", place, it.__func__),
    ),
    (property, lambda reader, it, place: reader._parts("property", place, it.fget, it.fset)),
    (
        dict | types.MappingProxyType | list | tuple | set | frozenset,
        _ObjectReader._container,
    ),
)
"""How values of some types are read."""
