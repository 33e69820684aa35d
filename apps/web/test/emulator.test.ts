// The terminal of serial consoles: the output of programs, and the resulting screen.
import { expect, test } from "vitest";
import { cssColour, plain, styled } from "../src/console/cells.js";
import { Emulator } from "../src/console/emulator.js";
import { isLeavingKey, type Key, sequenceOf } from "../src/console/keys.js";

function aTerminal(columns = 10, rows = 4) {
  const answers: string[] = [];
  const terminal = new Emulator(columns, rows, (text) => answers.push(text));
  const lines = () =>
    Array.from({ length: rows }, (_, row) =>
      terminal
        .line(row)
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    );
  return { terminal, answers, lines };
}

test.each([
  ["text and line ends", "ab\r\ncd", ["ab", "cd", "", ""]],
  ["a line longer than the screen", "0123456789ab", ["0123456789", "ab", "", ""]],
  ["more lines than the screen", "1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]],
  ["backspace and tab", "abc\b\bX\tZ", ["aXc     Z", "", "", ""]],
  ["a place on the screen", "\x1b[2;3Hx\x1b[Hy", ["y", "  x", "", ""]],
  ["cursor steps", "ab\x1b[2Dx\x1b[By\x1b[Az", ["xbz", " y", "", ""]],
  ["the end of a line erased", "abcdef\x1b[3D\x1b[K", ["abc", "", "", ""]],
  ["the screen erased", "ab\r\ncd\x1b[2J", ["", "", "", ""]],
  ["what is below erased", "a\r\nb\r\nc\x1b[2;1H\x1b[J", ["a", "", "", ""]],
  ["what is above erased", "a\r\nb\r\nc\x1b[2;1H\x1b[1J", ["", "", "c", ""]],
  ["characters deleted", "abcdef\x1b[4D\x1b[2P", ["abef", "", "", ""]],
  ["characters inserted", "abcd\x1b[2D\x1b[2@", ["ab  cd", "", "", ""]],
  ["characters blanked", "abcd\x1b[3D\x1b[2X", ["a  d", "", "", ""]],
  ["lines inserted", "a\r\nb\r\nc\x1b[2;1H\x1b[L", ["a", "", "b", "c"]],
  ["lines deleted", "a\r\nb\r\nc\x1b[1;1H\x1b[M", ["b", "c", "", ""]],
  ["a scroll region", "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\n", ["a", "c", "", "d"]],
  ["a reverse line feed", "a\r\nb\x1b[H\x1bM", ["", "a", "b", ""]],
  ["the other screen of an editor", "a\x1b[?1049hEDIT\x1b[?1049lb", ["ab", "", "", ""]],
  ["a saved cursor", "ab\x1b7\r\ncd\x1b8e", ["abe", "cd", "", ""]],
  ["line drawing", "\x1b(0lqk\x1b(Bq", ["┌─┐q", "", "", ""]],
  ["a title, which has no effect", "a\x1b]0;title\x07b\x1bPx\x1b\\c", ["abc", "", "", ""]],
  ["a sequence that it does not know", "a\x1b[>4;1mb\x1b[99zc", ["abc", "", "", ""]],
  ["numbers beyond the screen", "\x1b[99;99Hx\x1b[99A\x1b[99Dy", ["y", "", "", "         x"]],
  ["a reset", "ab\x1b[31m\x1bcx", ["x", "", "", ""]],
])("the screen shows %s", (_, text, shown) => {
  const { terminal, lines } = aTerminal();
  terminal.write(text);
  expect(lines()).toEqual(shown);
  const bytewise = aTerminal();
  for (const character of text) bytewise.terminal.write(character);
  expect(bytewise.lines()).toEqual(shown);
});

test("lines that scroll off the screen are kept, except those of an editor", () => {
  const { terminal } = aTerminal();
  terminal.write("1\r\n2\r\n3\r\n4\r\n5\r\n\x1b[?1049h\n\n\n\n\n\x1b[?1049l");
  expect(terminal.history.map(([cell]) => cell?.text)).toEqual(["1", "2"]);
  terminal.write("x\r\n".repeat(5000));
  expect(terminal.history.length).toBe(2000);
});

test("an endless control sequence takes limited memory", () => {
  const { terminal, lines } = aTerminal();
  terminal.write(`\x1b[${"1;".repeat(10_000)}`);
  terminal.write("m\r\nok");
  expect(lines().some((line) => line.endsWith("ok"))).toBe(true);
});

test("questions about the terminal are answered", () => {
  const { terminal, answers } = aTerminal();
  terminal.write("ab\x1b[6n\x1b[5n\x1b[c");
  expect(answers).toEqual(["\x1b[1;3R", "\x1b[0n", "\x1b[?62c"]);
});

test("only changed rows are drawn again, and those that the cursor left and entered", () => {
  const { terminal } = aTerminal();
  terminal.takeChanged();
  terminal.write("\x1b[3;1Hx");
  expect([...terminal.takeChanged()].sort()).toEqual([0, 2]);
  expect(terminal.takeChanged().size).toBe(0);
  expect(terminal.cursor).toEqual({ x: 1, y: 2 });
  terminal.write("\x1b[?25l");
  expect(terminal.cursor).toBe(undefined);
});

test("styles add up until they are reset", () => {
  const bold = styled(plain, [1, 31, 44]);
  expect(bold).toEqual({ ...plain, isBold: true, ink: 1, ground: 4 });
  expect(styled(bold, [22, 39, 92])).toEqual({ ...plain, ground: 4, ink: 10 });
  expect(styled(plain, [38, 5, 208, 48, 2, 1, 2, 300, 4])).toEqual({
    ...{ ...plain, ink: 208, ground: "#0102ff", isUnderlined: true },
  });
  expect(styled(bold, [])).toEqual(plain);
});

test("colours come from the style sheet, the colour cube, or the greys", () => {
  expect([3, 16, 231, 244, "#010203"].map(cssColour)).toEqual([
    ...["var(--tty-3)", "rgb(0 0 0)", "rgb(255 255 255)", "rgb(128 128 128)", "#010203"],
  ]);
});

const key = (name: string, ...modifiers: string[]): Key => ({
  key: name,
  ctrlKey: modifiers.includes("ctrl"),
  altKey: modifiers.includes("alt"),
  shiftKey: modifiers.includes("shift"),
  metaKey: modifiers.includes("meta"),
});

test.each([
  [key("Enter"), "\r"],
  [key("ArrowUp"), "\x1b[A"],
  [key("ArrowUp", "ctrl"), "\x1b[1;5A"],
  [key("Tab", "shift"), "\x1b[Z"],
  [key("c", "ctrl"), "\x03"],
  [key("[", "ctrl"), "\x1b"],
  [key(" ", "ctrl"), "\0"],
  [key("_", "ctrl"), "\x1f"],
  [key("x", "alt"), "\x1bx"],
  [key("F5"), "\x1b[15~"],
  [key("a"), undefined],
  [key("C", "ctrl", "shift"), undefined],
  [key("v", "ctrl"), undefined],
  [key("r", "meta"), undefined],
  [key("Shift", "shift"), undefined],
])("the key %j sends %j", (pressed, sent) => {
  expect(sequenceOf(pressed, false)).toBe(sent);
});

test("cursor keys have other sequences in application mode, and one key leaves the console", () => {
  expect(sequenceOf(key("ArrowUp"), true)).toBe("\x1bOA");
  expect(isLeavingKey(key("o", "ctrl", "alt"))).toBe(true);
  expect(isLeavingKey(key("o", "ctrl"))).toBe(false);
});
