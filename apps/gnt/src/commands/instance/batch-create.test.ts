import { opcodeCatalog } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { Ending, GanetiError } from "../../errors.js";
import { creationParameters, definitions } from "./batch-create.js";

test("a definition may have every parameter of a creation", () => {
  const { shape } = opcodeCatalog.OP_INSTANCE_CREATE.schema;
  expect([...creationParameters].sort()).toEqual(Object.keys(shape).sort());
});

test("definitions are passed on unchanged", () => {
  const listed = [{ instance_name: "web1", disks: [{ size: "1g" }] }, { instance_name: "web2" }];
  expect(definitions(JSON.stringify(listed))).toEqual(listed);
});

test.each([
  ["{", /^Can't parse the instance definition file: ./],
  ["{}", /^The instance definition file is not List of Dictionary$/],
  ['["web1"]', /^The instance definition file is not List of Dictionary$/],
])("%s is no list of definitions", (text, message) => {
  expect(() => definitions(text)).toThrow(Ending);
  expect(() => definitions(text)).toThrow(message);
});

test("unknown parameters are reported with the name of their definition", () => {
  const text = '[{"instance_name": "web1"}, {"nosuch": 1, "disks": [], "neither": 2}]';
  expect(() => definitions(text)).toThrow(
    new GanetiError("OpPrereqError", [
      "Unknown fields in definition 1: nosuch, neither",
      "wrong_input",
    ]),
  );
});
