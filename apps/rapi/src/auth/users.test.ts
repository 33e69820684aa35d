import { expect, test } from "vitest";
import { parseUsers } from "./users.js";

const text = `
# user password options
jack {HA1}54c12257ee9be413f2f3182435514aae write
jill\t{ha1}54C12257EE9BE413F2F3182435514AAE
clear {CLEARTEXT}{x}y read,write,other
plain abc123 read
open {} write
none {MD5}abc123 write
lonely
twice first
twice second
`;
const warnings: number[] = [];
const users = parseUsers(text, (line) => warnings.push(line));

test.each([
  { name: "jack", password: "abc123", options: ["write"] },
  { name: "jack", password: "abc1234", options: undefined },
  { name: "jack", password: "54c12257ee9be413f2f3182435514aae", options: undefined },
  // The hash covers the name, so that it does not match for another user.
  { name: "jill", password: "abc123", options: undefined },
  { name: "clear", password: "{x}y", options: ["read", "write", "other"] },
  { name: "plain", password: "abc123", options: ["read"] },
  { name: "open", password: "", options: undefined },
  { name: "none", password: "abc123", options: undefined },
  { name: "lonely", password: "", options: undefined },
  { name: "twice", password: "first", options: undefined },
  { name: "twice", password: "second", options: [] },
  { name: "constructor", password: "", options: undefined },
])("$name with $password: $options", ({ name, password, options }) => {
  const user = users.verify(name, password);
  expect(user && [...user.options]).toEqual(options);
});

test("a line of one word is reported by its number", () => {
  expect(warnings).toEqual([9]);
});

test("cached credentials match only the complete name and password", () => {
  const some = parseUsers("a bc write\nab c read\n", () => {});
  for (const _ of ["first", "again"]) {
    expect(some.verify("a", "bc")?.name).toBe("a");
    expect(some.verify("ab", "c")?.name).toBe("ab");
  }
  const wrong = ["a/c", "ab/bc", "abc/", "/abc", "a bc/", "a/ bc"].map((one) => one.split("/"));
  for (const [name = "", password = ""] of wrong) {
    expect(some.verify(name, password)).toBeUndefined();
  }
});
