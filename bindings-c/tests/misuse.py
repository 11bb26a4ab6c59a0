"""Writes a C program that misuses every function of entable.h: `python3 misuse.py >misuse.c`.

From the header: each pointer NULL in turn, each text cut short, with a NULL that has a length, and longer than memory,
each number that is none of its enum; then a store that is closed. Arguments that may be NULL are in misuse.txt, a line for each function: one without
a line, or a line without its function, is an error. `misuse.h` has the objects that the calls are given.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
ENUMS = {"mode", "scope", "metadata", "update_mode", "lookup_kind", "on_delete", "repair", "feed_start"}
NUMBERS = {"bool", "int32_t", "int64_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "double", "uint8_t"}
PLACES = NUMBERS | {"str", "bytes", "value", "guid", "written", "keys", "finding", "copied", "considered", "operation"}
PLACES |= {"database_stats", "query_kind", "busy_partition", "advice", "index_stats"}
PLACES |= {"relation", "orphan", "feed_state", "consumer_state", "change"}


def functions():
    """Name, result and parameters, (type, name), of each function."""
    header = (HERE / "../include/entable.h").read_text()
    header = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.DOTALL)
    found = {}
    for match in re.finditer(r"^([a-z][\w *]*?)\b(entable_\w+)\(([^;{}#]*)\);", header, flags=re.MULTILINE):
        result, name, inside = match.groups()
        callback = re.sub(r"(\w+) \(\*(\w+)\)\([^)]*\)", r"callback \2", inside)
        parameters = []
        for parameter in callback.split(","):
            parameter = " ".join(parameter.replace("struct ", "").split())
            if parameter != "void":
                parameters.append(re.fullmatch(r"(.*?)(\w+)", parameter).groups())
        found[name] = (result.strip(), [(kind.strip(), name) for kind, name in parameters])
    return found


def bare(kind):
    """The type without `const`, pointers and the library's name before it."""
    return re.sub(r"const|\*|\s", "", kind).removeprefix("entable_")


def good(function, kind, name):
    """An argument as it should be."""
    stars, plain = kind.count("*"), bare(kind)
    if plain == "callback":
        return {"is_over": "stop"}.get(name, "clock")
    if plain in {"completion", "progress"}:
        return plain
    if kind == "void *":
        return "NULL"
    if stars == 0:
        if plain == "str":
            fixed = {"path": 'ENTABLE_STR(".")', "filter": "NO_TEXT", "token": "NO_TEXT", "position": "world.position"}
            return fixed.get(name, "TEXT")  # "." is no file of a store
        fixed = {"value": "entable_value_int32(1)", "condition": "NONE", "guid": "world.guid", "bytes": "world.bytes"}
        fixed["feed_start"] = "ENTABLE_FEED_START_AT"  # the one that looks at its position
        return fixed.get(plain, f"(entable_{plain})1" if plain in ENUMS else "64" if name == "size" else "1")
    if stars == 2 and "*const *" in kind:
        return "world.array"
    if stars == 2:
        return f"&made_{name}"
    if plain == "char":
        return '"text"' if "const" in kind else "world.buffer"
    if plain in {"pattern_definition", "pattern_field"} or plain in {"relation", "feed"} and "const" in kind:
        return f"&world.{plain.removeprefix('pattern_')}"
    if plain in PLACES and "const" not in kind:
        return f"(void_{plain} *)(void *)world.buffer"
    if plain in {"str", "keys", "value"}:
        return f"world.{plain}s"
    return {"uint8_t": "world.bytes.data"}.get(plain, f"world.{plain}")


class Program:
    """The calls, as they are written."""

    def __init__(self, name, result, parameters, may_be_null):
        self.name, self.result, self.parameters, self.may_be_null = name, result, parameters, may_be_null
        self.lines = []

    def call(self, place, argument, what):
        """One call with one argument that is wrong, which the error must name."""
        arguments = [good(self.name, *parameter) for parameter in self.parameters]
        arguments[place] = argument
        call = self.typed(f"{self.name}({', '.join(arguments)})")
        named = self.parameters[place][1]
        made = [(kind, name) for kind, name in self.parameters if kind.count("*") == 2 and "*const *" not in kind]
        self.lines.append("    {")
        for kind, name in made:
            # Something that the call must not leave there.
            self.lines.append(f"        {kind[:-1]}made_{name} = ({kind[:-1].strip()})(void *)world.buffer;")
        self.lines.append(f'        doing = "{self.name}: {named} {what}";')
        if "entable_error *" not in self.result or self.name.startswith("entable_error"):
            self.lines.append(f"        (void){call};" if self.result != "void" else f"        {call};")
        elif named in self.may_be_null:
            self.lines.append(f'        is_not_named({call}, "{named}");')
        else:
            self.lines.append(f'        is_named({call}, "{named}");')
        for kind, name in made:
            self.lines.append(f"        (void)made_{name};")
            if named != name:
                self.lines.append(f'        nothing_is_left((const void *)made_{name}, "{name}");')
                if named in self.may_be_null:
                    self.lines.append(f"        {kind[:-2].strip()}_free(made_{name});")
        self.lines.append("    }")

    def closed(self):
        """The call once more with a store that has been closed."""
        kinds = {bare(kind) for kind, _ in self.parameters}
        if self.result != "struct entable_error *" or not kinds & {"store", "table", "snapshot"} or "-closed" in self.may_be_null:
            return
        made = [(kind, name) for kind, name in self.parameters if kind.count("*") == 2 and "*const *" not in kind]
        arguments = ", ".join(good(self.name, *parameter) for parameter in self.parameters)
        call = self.typed(f"{self.name}({arguments})")
        self.lines.append("    CHECK(works(entable_store_close(world.store)));")
        self.lines.append("    {")
        self.lines += [f"        {kind[:-1]}made_{name} = NULL;" for kind, name in made]
        self.lines.append(f'        doing = "{self.name} of a closed store";')
        self.lines.append(f"        is_closed({call});")
        self.lines += [f"        {kind[:-2].strip()}_free(made_{name});" for kind, name in made]
        self.lines.append("    }")

    @staticmethod
    def typed(call):
        """The call with the types of places as C knows them."""
        call = call.replace("void_", "entable_")
        return re.sub(r"entable_(" + "|".join(NUMBERS) + r") \*", r"\1 *", call)

    def text(self):
        """A function of C that makes all the calls."""
        for place, (kind, _) in enumerate(self.parameters):
            plain = bare(kind)
            if "*" in kind and kind != "void *" or plain in {"callback", "completion", "progress"}:
                self.call(place, "NULL", "is NULL")
            elif plain == "str" and "entable_error *" in self.result:
                self.call(place, 'text("a\\xc3", 2)', "is cut short")
                self.call(place, "text(NULL, 1)", "is NULL with a length")
                self.call(place, 'text("a", SIZE_MAX)', "is longer than memory")
            elif plain in ENUMS:
                self.call(place, f"(entable_{plain})99", "is no number of the enum")
        self.closed()
        begin = "begin_world(true)" if any("transaction" in kind for kind, _ in self.parameters) else "begin_world(false)"
        body = "\n".join(self.lines)
        return f"static void misuse_{self.name}(void) {{\n    {begin};\n{body}\n    end_world();\n}}\n"


def main():
    """Compares header and table, and writes the program."""
    rows = [line.split() for line in (HERE / "misuse.txt").read_text().splitlines() if line and line[0] != "#"]
    table, header = {row[0]: row[1:] for row in rows}, functions()
    wrong = sorted(set(table) ^ set(header))
    wrong += [f"{name}: {row}" for name, row in table.items() if not set(row) - {"-closed"} <= {n for _, n in header.get(name, ("", []))[1]}]
    if wrong:
        sys.exit(f"misuse.txt and entable.h differ: {', '.join(wrong)}")
    print('#include "misuse.h"\n')
    for name, (result, parameters) in header.items():
        print(Program(name, result, parameters, table[name]).text())
    print("int main(void) {")
    for name in header:
        print(f"    misuse_{name}();")
    print(f'    printf("misuse of {len(header)} functions: %s\\n", failures ? "failed" : "refused");')
    print("    return failures != 0;\n}")


main()
