"""Plays traces of the component under wasmtime-py: `play.py COMPONENT TRACES`. See ../README.md."""

import json
import sys

import wasmtime
from wasmtime.component import (
    S64, U64, Component, EnumType, Linker, ListType, OptionType, Record, RecordType, ResultType, Variant, VariantType,
)


def cases(kind):
    """The cases of a variant, an option or a result, and whether wasmtime-py tells them apart by a tag: it leaves the tag out where each
    case is of a Python class of its own."""
    return kind._cases(), kind._tagged()


def lower(kind, value):
    """A value as wasmtime-py takes it, of one of a trace."""
    if isinstance(kind, (S64, U64)):
        return int(value)
    if isinstance(kind, ListType):
        return bytes(value) if kind._is_bytes() else [lower(kind.element, it) for it in value]
    if isinstance(kind, RecordType):
        record = Record()
        for name, field in kind.fields:
            setattr(record, name, lower(field, value[name]))
        return record
    if isinstance(kind, OptionType):
        return None if value is None else lower(kind.payload, value)
    if isinstance(kind, VariantType):
        name, inner = (value, None) if isinstance(value, str) else next(iter(value.items()))
        known, tagged = cases(kind)
        payload = dict(known)[name]
        lowered = None if payload is None else lower(payload, inner)
        return Variant(name, lowered) if tagged else lowered
    return value


def case_of(kind, value):
    """The case of a value, and what is in it."""
    known, tagged = cases(kind)
    if tagged:
        return value.tag, dict(known)[value.tag], value.payload
    for name, payload in known:
        classes = set()
        if payload is not None:
            payload.add_classes(classes)
        if value is None if payload is None else type(value) in classes:
            return name, payload, value
    raise TypeError(f"{value} is of no case of {kind}")


def lift(kind, value):
    """A value as a trace has it, of one of wasmtime-py."""
    if isinstance(kind, (S64, U64)):
        return str(value)
    if isinstance(kind, ListType):
        return list(value) if kind._is_bytes() else [lift(kind.element, it) for it in value]
    if isinstance(kind, RecordType):
        return {name: lift(field, getattr(value, name)) for name, field in kind.fields}
    if isinstance(kind, OptionType):
        return None if value is None else lift(kind.payload, value)
    if isinstance(kind, ResultType):
        name, payload, inner = case_of(kind, value)
        return {name: None if payload is None else lift(payload, inner)}
    if isinstance(kind, VariantType):
        name, payload, inner = case_of(kind, value)
        return name if payload is None else {name: lift(payload, inner)}
    if isinstance(kind, EnumType) and not isinstance(value, str):
        raise TypeError(f"{value} is no case of an enum")
    return value


class Player:
    """One instance of the component after the other."""

    def __init__(self, component, functions):
        self.engine = wasmtime.Engine()
        self.component = Component(self.engine, component)
        self.functions = functions
        self.restart()

    def restart(self):
        self.store = wasmtime.Store(self.engine)
        # Nothing is given to the linker: the component imports nothing.
        self.instance = Linker(self.engine).instantiate(self.store, self.component)
        self.found = {}

    def find(self, name):
        """A function with its types, which take long to ask for."""
        if name not in self.found:
            export = self.instance.get_export_index(self.store, self.functions[name]["interface"])
            function = self.instance.get_func(self.store, self.instance.get_export_index(self.store, name, export))
            kind = function.type(self.store)
            self.found[name] = function, [it for _, it in kind.params], kind.result
        return self.found[name]

    def answer(self, call):
        function, parameters, result = self.find(call["call"])
        answered = function(self.store, *map(lower, parameters, call["arguments"]))
        function.post_return(self.store)
        return None if result is None else lift(result, answered)


def main(component, traces):
    with open(traces, encoding="utf-8") as file:
        told = json.load(file)
    with open(component, "rb") as file:
        player = Player(file.read(), told["functions"])
    calls = 0
    for trace in told["traces"]:
        player.restart()
        for call in trace["calls"]:
            calls += 1
            if call["call"] == "restart":
                player.restart()
                continue
            answer = player.answer(call)
            if answer != call["answer"]:
                asked, got, expected = (json.dumps(it, sort_keys=True) for it in (call["arguments"], answer, call["answer"]))
                sys.exit(f"{trace['name']}: {call['call']}{asked[:2000]}\nanswered {got[:4000]}\nexpected {expected[:4000]}")
    print(f"{len(told['traces'])} traces, {calls} calls: the same answers")


main(*sys.argv[1:])
