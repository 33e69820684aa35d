import { expect, test } from "vitest";
import { MessageError } from "../errors.js";
import { depthMax, scanJson } from "./scan.js";

const scan = (text: string) => scanJson(new TextEncoder().encode(text));

test("the tape lists the tokens in order, with the end of every object and array", () => {
  //                     {  end  "a" [  end 1 "\\n" "b" {  end
  const tape = [0, 10, 1, 5, 7, 6, ~8, 14, 18, 10];
  expect([...scan('{"a":[1,"\\n"],"b":{}}')]).toEqual(tape);
});

test.each([
  { why: "numbers", text: "[0,-0,1,-12,1.5,0.25,1e5,1E+5,1e-5,-1.5e10]" },
  { why: "a number may end in its point", text: "[1.]" },
  { why: "escapes", text: '["\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD"]' },
  { why: "lone surrogates as escapes", text: '["\\ud83d","\\ude00"]' },
  { why: "characters of two, three and four bytes", text: '["é€😀","\u{10ffff}"]' },
  { why: "U+007F to U+009F in strings", text: '["\u007f\u0080\u009f"]' },
  { why: "words", text: "[true,false,null]" },
  { why: "blanks between tokens", text: '{ "a" :\t[ 1 ,\r\n2 ] , "b" : { } }\n' },
  { why: "vertical tab and form feed", text: "[1\v,\f2]" },
  { why: "Unicode spaces", text: "[1\u00a0,\u16802\u2000,\u200a3\u202f,\u205f4\u3000]\u00a0" },
  { why: "the same key twice", text: '{"a":1,"a":2}' },
  { why: "many levels", text: "[".repeat(depthMax) + "]".repeat(depthMax) },
])("accepts $why", ({ text }) => {
  expect(scan(text).length).toBeGreaterThan(0);
});

const nothing = "Invalid JSON: a JSON text a serialized object or array at the top level.";

test.each([
  { text: "", error: nothing },
  { text: "7", error: nothing },
  { text: '"x"', error: nothing },
  { text: "null", error: nothing },
  { text: " {}", error: nothing },
  { text: "\ufeff{}", error: nothing },
  {
    text: "{",
    error: 'expected " of a key at line 1, column 2 (byte 1), found the end of the text',
  },
  { text: "[", error: "expected a value at line 1, column 2 (byte 1), found the end of the text" },
  { text: "[1", error: "expected , or ] at line 1, column 3 (byte 2), found the end of the text" },
  { text: "[1,\n2}", error: 'expected , or ] at line 2, column 2 (byte 5), found "}"' },
  { text: '{"a":1]', error: 'expected , or } at line 1, column 7 (byte 6), found "]"' },
  { text: "[1,]", error: 'expected a value at line 1, column 4 (byte 3), found "]"' },
  { text: "[,1]", error: 'expected a value at line 1, column 2 (byte 1), found ",1]"' },
  { text: "[1 2]", error: 'expected , or ] at line 1, column 4 (byte 3), found "2]"' },
  { text: '{"a":1,}', error: 'expected " of a key at line 1, column 8 (byte 7), found "}"' },
  { text: "{a:1}", error: 'expected " of a key at line 1, column 2 (byte 1), found "a:1}"' },
  { text: "{'a':1}", error: `expected " of a key at line 1, column 2 (byte 1), found "'a':1}"` },
  { text: '{"a" 1}', error: 'expected : after the key at line 1, column 6 (byte 5), found "1}"' },
  { text: '{"a":}', error: 'expected a value at line 1, column 6 (byte 5), found "}"' },
  { text: "{} x", error: 'expected nothing more at line 1, column 4 (byte 3), found "x"' },
  { text: "{}\0", error: "expected nothing more at line 1, column 3 (byte 2), found byte 0x00" },
  { text: "[01]", error: 'expected no leading zero at line 1, column 2 (byte 1), found "01]"' },
  { text: "[-01]", error: 'expected no leading zero at line 1, column 3 (byte 2), found "01]"' },
  { text: "[-]", error: 'expected a digit at line 1, column 3 (byte 2), found "]"' },
  { text: "[+1]", error: 'expected a value at line 1, column 2 (byte 1), found "+1]"' },
  { text: "[.5]", error: 'expected a value at line 1, column 2 (byte 1), found ".5]"' },
  { text: "[1.e5]", error: 'expected , or ] at line 1, column 4 (byte 3), found "e5]"' },
  {
    text: "[1e]",
    error: 'expected a digit of the exponent at line 1, column 4 (byte 3), found "]"',
  },
  { text: "[0x10]", error: 'expected , or ] at line 1, column 3 (byte 2), found "x10]"' },
  { text: "[NaN]", error: 'expected a value at line 1, column 2 (byte 1), found "NaN]"' },
  { text: "[nul]", error: 'expected a value at line 1, column 2 (byte 1), found "nul]"' },
  { text: "[True]", error: 'expected a value at line 1, column 2 (byte 1), found "True]"' },
  { text: "[/**/1]", error: 'expected a value at line 1, column 2 (byte 1), found "/**/1]"' },
  {
    text: '["a\tb"]',
    error:
      "expected no control character in a string at line 1, column 4 (byte 3), found byte 0x09",
  },
  {
    text: '["\\x"]',
    error: 'expected one of the escapes of JSON at line 1, column 3 (byte 2), found "\\x"]"',
  },
  {
    text: '["\\u12g4"]',
    error:
      'expected four hexadecimal digits after \\u at line 1, column 3 (byte 2), found "\\u12g4"]"',
  },
  {
    text: '["abc',
    error: 'expected " to end the string at line 1, column 6 (byte 5), found the end of the text',
  },
  {
    text: '["a\\',
    error: 'expected one of the escapes of JSON at line 1, column 4 (byte 3), found "\\"',
  },
  {
    text: "[1\u0085]",
    error: "expected , or ] at line 1, column 3 (byte 2), found byte 0xc2",
  },
  {
    text: "[1\u200b]",
    error: "expected , or ] at line 1, column 3 (byte 2), found byte 0xe2",
  },
  {
    text: "[".repeat(depthMax + 1),
    error: 'more than 512 levels of nesting at line 1, column 513 (byte 512), found "["',
  },
])("refuses $text", ({ text, error }) => {
  expect(() => scan(text)).toThrow(
    new MessageError("malformed_json", `Parsing input IAllocator message: ${error}`),
  );
});

test.each([
  { why: "a lone continuation byte", bytes: [0x80] },
  { why: "a lone first byte", bytes: [0xc3] },
  { why: "an overlong form of two bytes", bytes: [0xc0, 0x80] },
  { why: "an overlong form of three bytes", bytes: [0xe0, 0x80, 0x80] },
  { why: "an overlong form of four bytes", bytes: [0xf0, 0x80, 0x80, 0x80] },
  { why: "a surrogate", bytes: [0xed, 0xa0, 0x80] },
  { why: "more than U+10FFFF", bytes: [0xf4, 0x90, 0x80, 0x80] },
  { why: "a byte of no character", bytes: [0xff] },
  { why: "three bytes of four", bytes: [0xf0, 0x9f, 0x98] },
])("refuses $why as UTF-8", ({ bytes }) => {
  const text = new Uint8Array([0x5b, 0x22, ...bytes, 0x22, 0x5d]);
  expect(() => scanJson(text)).toThrow(
    /: expected UTF-8 at line 1, column 3 \(byte 2\), found byte/,
  );
});

test("a text that is all brackets makes the tape grow", () => {
  const text = `[${"[],".repeat(10_000)}[]]`;
  expect(scan(text).length).toBe(2 + 2 * 10_001);
});
