import fc from "fast-check";
import { expect, test } from "vitest";
import type { Option } from "../command.js";
import { GanetiError, UsageError } from "../errors.js";
import { commaList } from "./key-values.js";
import { parse } from "./option-values.js";

const options: readonly Option[] = [
  { name: "force", short: "f", type: "flag", help: "" },
  { name: "debug", short: "d", type: "count", help: "" },
  { name: "yes-do-it", aliases: ["ya-rly"], type: "flag", help: "" },
  { name: "no-headers", type: "flag", help: "" },
  { name: "no-nics", type: "flag", help: "" },
  { name: "node", short: "n", type: "text", repeatable: true, help: "" },
  { name: "template", short: "t", type: "text", choices: ["plain", "drbd"], help: "" },
  { name: "size", short: "s", type: "size", help: "" },
  { name: "count", type: "integer", help: "" },
  { name: "delay", type: "number", help: "" },
  { name: "hidden", type: "yes-no", help: "" },
  { name: "uids", type: "list", help: "" },
  { name: "backend", short: "B", type: "key-values", help: "" },
  { name: "disk", type: "id-key-values", repeatable: true, help: "" },
  { name: "bounds", type: "many-id-key-values", help: "" },
  { name: "predicates", type: "json", help: "" },
];

const read = (line: string) => parse(line === "" ? [] : line.split(" "), options);

test.each([
  { line: "-fnweb1 x", why: "short options stand together, the last with its value" },
  { line: "-f -n web1 x", why: "each alone" },
  { line: "--force --node=web1 x", why: "long ones" },
  { line: "--fo --node web1 x", why: "cut as far as they stay unique" },
])("$line: $why", ({ line }) => {
  const { args, options: values } = read(line);
  expect(args).toEqual(["x"]);
  expect(values.flag("force")).toBe(true);
  expect(values.texts("node")).toEqual(["web1"]);
});

test("options may follow arguments, but not --", () => {
  const mixed = read("x --force y -n web1 z");
  expect(mixed.args).toEqual(["x", "y", "z"]);
  expect([mixed.options.flag("force"), mixed.options.texts("node")]).toEqual([true, ["web1"]]);
  expect(read("x -- --force").args).toEqual(["x", "--force"]);
  expect(read("- x").args).toEqual(["-", "x"]);
});

test("a negative number after an argument is an argument", () => {
  expect(read("x -1").args).toEqual(["x", "-1"]);
});

test("option-like words of another program stay words", () => {
  const { args, options: values } = parse(["-f", "ls", "-f", "--", "-x"], options, false);
  expect(args).toEqual(["ls", "-f", "--", "-x"]);
  expect(values.flag("force")).toBe(true);
});

test("a value may look like an option, or be empty", () => {
  expect(read("-n -f").options.texts("node")).toEqual(["-f"]);
  expect(read("-n --force").options.flag("force")).toBe(false);
  expect(read("--node=").options.texts("node")).toEqual([""]);
  expect(read("--node=a=b").options.texts("node")).toEqual(["a=b"]);
});

test("a repeatable option keeps all values, another one the last", () => {
  expect(read("-n a -n b").options.texts("node")).toEqual(["a", "b"]);
  expect(read("-t plain -t drbd").options.text("template")).toBe("drbd");
  expect(read("-dd --debug").options.count("debug")).toBe(3);
});

test("omitted options have empty values", () => {
  const { options: values } = read("");
  expect(values.flag("force")).toBe(false);
  expect(values.count("debug")).toBe(0);
  expect(values.texts("node")).toEqual([]);
  expect(values.idKeyValues("disk")).toEqual([]);
  for (const name of ["template", "size"]) expect(values.has(name), name).toBe(false);
  expect(values.yesNo("hidden")).toBeUndefined();
  expect(values.keyValues("backend")).toBeUndefined();
});

test("an alias sets the option", () => {
  expect(read("--ya-rly").options.flag("yes-do-it")).toBe(true);
});

test.each([
  { line: "--nosuch", says: "no such option: --nosuch" },
  { line: "-1", says: "no such option: -1" },
  { line: "--no", says: "ambiguous option: --no (--no-headers, --no-nics, --node?)" },
  { line: "--force=yes", says: "--force option does not take a value" },
  { line: "--ya=yes", says: "--ya-rly option does not take a value" },
  { line: "-n", says: "-n option requires 1 argument" },
  { line: "-t raid", says: "option -t: invalid choice: 'raid' (choose from 'plain', 'drbd')" },
  { line: "--count abc", says: "option --count: invalid integer value: 'abc'" },
  { line: "--count a'\\b", says: `option --count: invalid integer value: "a'\\\\b"` },
  { line: "--delay x", says: "option --delay: invalid floating-point value: 'x'" },
  { line: "-s 1x", says: "option -s: Unknown unit: x" },
  { line: "-s -1", says: "option -s: Invalid format" },
])("$line is refused: $says", ({ line, says }) => {
  expect(() => read(line)).toThrow(new UsageError(says));
});

test.each([
  { line: "--hidden perhaps", says: "Invalid boolean value 'perhaps'" },
  { line: "-B a=1,a=2", says: "Duplicate key 'a' in option -B" },
  {
    line: "--disk -x:size=1",
    says: "Cannot pass options when removing parameter groups: -x:size=1",
  },
  { line: "--bounds min:a", says: "Missing value for key 'a' in option --bounds" },
  { line: "--bounds min:a=1//", says: "Empty section in option '--bounds'" },
  { line: "--bounds x:/x:", says: "Duplicated parameter 'x' in parsing --bounds: x:" },
])("$line is a parameter error: $says", ({ line, says }) => {
  expect(() => read(line)).toThrow(new GanetiError("ParameterError", [says]));
});

test("values are read by their type", () => {
  const { options: values } = read(
    "-s 1.5g --count -3 --delay .5 --hidden YES --uids a,b\\,c -B x=1,y,no_z,-w --predicates [1,{}]",
  );
  expect(values.mebibytes("size")).toBe(1536);
  expect(values.integer("count")).toBe(-3);
  expect(values.number("delay")).toBe(0.5);
  expect(values.yesNo("hidden")).toBe(true);
  expect(values.list("uids")).toEqual(["a", "b,c"]);
  expect(values.keyValues("backend")).toEqual({ x: "1", y: true, z: false, w: null });
  expect(values.json("predicates")).toEqual([1, {}]);
});

test("parameters with an id may be set, removed and reset to their defaults", () => {
  const line = "--disk 0:size=1g,mode=ro --disk -1:remove --disk no_2 --disk -x --disk 5";
  expect(read(line).options.idKeyValues("disk")).toEqual([
    ["0", { size: "1g", mode: "ro" }],
    ["-1", { remove: true }],
    ["2", false],
    ["x", null],
    ["5", {}],
  ]);
});

test("bounds are a list of parameters by id", () => {
  expect(read("--bounds min:a=1/max:a=2//min:a=3").options.manyIdKeyValues("bounds")).toEqual([
    { min: { a: "1" }, max: { a: "2" } },
    { min: { a: "3" } },
  ]);
});

test("reading an unknown option, or one of another type, is a bug", () => {
  expect(() => read("").options.flag("nosuch")).toThrow("the command has no option nosuch");
  expect(() => read("").options.text("force")).toThrow("option force is read as text, but is flag");
});

test("lists split at commas without a backslash", () => {
  const escaped = (text: string) => text.replace(/[\\,]/g, "\\$&");
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", ",", "\\", "=") }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(texts, (list) => {
      expect(commaList(list.map(escaped).join(","))).toEqual(list);
    }),
  );
});
