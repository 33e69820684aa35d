import { expect, test } from "vitest";
import { exceededBound } from "./json-bounds.js";

const bounds = { depthMax: 3, keysMax: 4, valuesMax: 10 };

test.each([
  { why: "as deep as may be", text: "[[[1]]]", exceeded: undefined },
  { why: "too deep", text: '{"a":[[[1]]]}', exceeded: "lists and objects more than 3 deep" },
  { why: "as many keys as may be", text: '{"a":1,"b":2,"c":3,"d":4}', exceeded: undefined },
  {
    why: "too many keys",
    text: '{"a":1,"b":2,"c":3,"d":4,"e":5}',
    exceeded: "more than 4 keys in one object",
  },
  {
    why: "keys of several objects",
    text: '[{"a":1,"b":2,"c":3},{"a":1,"b":2,"c":3}]',
    exceeded: undefined,
  },
  { why: "as many values as may be", text: "[0,1,2,3,4,5,6,7,8,9]", exceeded: undefined },
  { why: "too many values", text: "[0,1,2,3,4,5,6,7,8,9,10]", exceeded: "more than 10 values" },
  { why: "signs in a string", text: '["{{{{[[[[,,,,,,,,,,,::::::"]', exceeded: undefined },
  { why: "a quote in a string", text: '["\\"{{{{","\\\\",[[]]]', exceeded: undefined },
  { why: "brackets that do not fit", text: "]]]][[[]", exceeded: undefined },
])("$why: $exceeded", ({ text, exceeded }) => {
  expect(exceededBound(new TextEncoder().encode(text), bounds)).toBe(exceeded);
});
