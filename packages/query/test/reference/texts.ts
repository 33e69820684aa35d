/** Random filter texts: some as they should be, most with something wrong. */
import fc from "fast-check";

const conditions = [
  ...["a", "x==1", '"t" in a', "5 not in b", "x =~ m/a/", "x !~ #b#i", 'y =* "w*.x?"', "not"],
  ...["and", "a<=-3", "x='q'", "x =~ m/a\\/b\\\\d/s", "x!=007", '"a\\"b" in c/d.e', "notx", "or"],
];
const scraps = [
  ...["(", ")", "not", "and", "or", "in", "=~", "!~", "=*", "!*", "=", "==", "<", ">=", "!", "m/a/"],
  ...['"', "'", '"a""b"', "5", "+3", "2a", "m", "/", "#", "^", "|", "$", "\n", "\t", " ", "\\", "AND"],
  ...["intags", "m /a/i", "/[/", "_", "i", "é", "//"],
];

const wellFormed = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...conditions),
    fc
      .tuple(tie("text"), fc.constantFrom(" and ", " or ", "  and\n", ") or ("), tie("text"))
      .map((parts) => parts.join("")),
    tie("text").map((text) => `not ${text}`),
    tie("text").map((text) => `( ${text})`),
  ),
})).text;

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat({ max: 2 }),
  scrap: fc.constantFrom("", ...scraps),
});

/** A regular expression followed by a blank and `and` or `or` is read differently, by design. */
const differs = /[/#|^]\s+(and|or)(?![A-Za-z])|[/#|^] *(ii|ss)/;

export const filterTexts = fc
  .tuple(wellFormed, fc.array(edit, { maxLength: 2 }))
  .map(([text, edits]) =>
    edits.reduce((edited, { at, cut, scrap }) => {
      const place = Math.floor(at * edited.length);
      return edited.slice(0, place) + scrap + edited.slice(place + cut);
    }, text),
  )
  .filter((text) => !differs.test(text));
