// Texts and JSON values that are almost right.
import type { Json } from "@ganeti-ts/protocol";
import { writeAsciiJson } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";

const oddTexts = ["", "\u0000", "None", "__proto__", "\ud800", "💾", "x".repeat(5000), "-1", "[]"];
const oddNumbers = [0, -1, 1.5, -0, 2 ** 31, 2 ** 53, 1e308, 10n ** 40n, -(10n ** 40n)];

const nested = (depth: number): Json => {
  let json: Json = [];
  for (let at = 0; at < depth; at++) json = [json];
  return json;
};

const odd = (dice: Dice): Json => {
  const makers: readonly (() => Json)[] = [
    () => null,
    () => dice.chance(0.5),
    () => dice.pick(oddNumbers),
    () => dice.pick(oddTexts),
    () => [],
    () => ({}),
    () => Object.fromEntries([["__proto__", { polluted: true }]]),
    () => [null, null, null],
    () => nested(dice.between(1, 60)),
  ];
  return dice.pick(makers)();
};

/** The value with one part of it replaced, removed, doubled or added. */
export function mutatedJson(dice: Dice, json: Json): Json {
  const isList = Array.isArray(json);
  if (typeof json !== "object" || json === null || dice.chance(0.15)) return odd(dice);
  const entries = isList ? json.map((one, at) => [String(at), one] as const) : Object.entries(json);
  const list = entries.map(([key, value]) => [key, value as Json] as [string, Json]);
  const at = dice.between(0, Math.max(0, list.length - 1));
  const chosen = list[at];
  const way = dice.between(0, 5);
  if (chosen === undefined || way === 0) list.push([dice.pick(oddTexts), odd(dice)]);
  else if (way === 1) list.splice(at, 1);
  else if (way === 2) list.splice(at, 0, [`${chosen[0]} `, chosen[1]]);
  else list[at] = [chosen[0], mutatedJson(dice, chosen[1])];
  return isList ? list.map(([, value]) => value) : Object.fromEntries(list);
}

/** The text with some bytes changed, lost, doubled or added. */
export function mutatedBytes(dice: Dice, text: string): Buffer {
  let bytes = Buffer.from(text, "utf8");
  for (let times = dice.between(1, 4); times > 0; times--) {
    const at = dice.between(0, bytes.length);
    const end = Math.min(bytes.length, at + dice.between(1, 8));
    const [before, part, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, end),
      bytes.subarray(end),
    ];
    const noise = Buffer.from(
      Array.from({ length: dice.between(1, 4) }, () => dice.between(0, 255)),
    );
    const ways = [
      [before, after],
      [before, part, part, after],
      [before, noise, part, after],
      [before, noise, after],
    ];
    bytes = Buffer.concat(dice.pick(ways));
  }
  return bytes;
}

/** JSON of one long text or of many brackets. */
export const longJson = (dice: Dice, length: number): string =>
  dice.pick([
    () => `[true, "${"x".repeat(length)}"]`,
    () => "[".repeat(length),
    () => `{"a":`.repeat(length / 5),
    () => `[true, [${"0,".repeat(length / 2)}0]]`,
    () => `[true, ${"1".repeat(length)}]`,
    () => writeAsciiJson([false, "é".repeat(length / 6)]),
  ])();
