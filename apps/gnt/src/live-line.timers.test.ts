import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveLine } from "./live-line.js";

/** A terminal that can be resized, with a program that can be stopped and continued. */
function aTerminal(columns: number, reflows = true) {
  let written = "";
  const on = { resize: new Set<() => void>(), resume: new Set<() => void>() };
  const listening = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const terminal = {
    columns,
    rows: 24,
    colour: false,
    reflows,
    onResize: listening(on.resize),
    onResume: listening(on.resume),
  };
  const out = {
    terminal,
    colour: false,
    write: (text: string) => {
      written += text;
    },
  };
  const tell = (listeners: Set<() => void>) => {
    for (const listener of [...listeners]) listener();
  };
  return {
    line: new LiveLine(out),
    listeners: on,
    /** Output since the last call. */
    news: () => {
      const text = written;
      written = "";
      return text;
    },
    /** The next event is that much later (ms). */
    resize: (to: number, after = 1000) => {
      terminal.columns = to;
      tell(on.resize);
      vi.advanceTimersByTime(after);
    },
    resume: () => tell(on.resume),
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bar = (columns: number) => "#".repeat(columns);

test("a line is drawn once, and removed when it is cleared", () => {
  const { line, news, listeners } = aTerminal(11);
  line.show(() => "waiting");
  line.show(() => "waiting");
  expect(news()).toBe("\r\x1b[Kwaiting");
  line.clear();
  line.clear();
  expect(news()).toBe("\r\x1b[K");
  expect([listeners.resize.size, listeners.resume.size]).toEqual([0, 0]);
});

test("a line is always narrower than the terminal", () => {
  const { line, news } = aTerminal(5);
  line.show(() => "1234567");
  expect(news()).toBe("\r\x1b[K1234");
});

test("after a terminal became narrower and wrapped the line, all of it is erased", () => {
  const { line, news, resize } = aTerminal(31);
  line.show(bar);
  expect(news()).toBe(`\r\x1b[K${"#".repeat(30)}`);
  resize(11);
  // Thirty characters were on three lines of eleven.
  expect(news()).toBe(`\r\x1b[2A\x1b[J${"#".repeat(10)}`);
  resize(21);
  expect(news()).toBe(`\r\x1b[K${"#".repeat(20)}`);
});

test("on a terminal that cuts lines, the line always occupies one row", () => {
  const { line, news, resize } = aTerminal(31, false);
  line.show(bar);
  news();
  resize(11);
  expect(news()).toBe(`\r\x1b[K${"#".repeat(10)}`);
});

test("the line is drawn again when a stopped program continues", () => {
  const { line, news, resume } = aTerminal(11);
  line.show(() => "waiting");
  news();
  resume();
  expect(news()).toBe("\r\x1b[Kwaiting");
});

test("nothing is drawn while a window is resized, and wrapped rows are erased afterwards", () => {
  const { line, news, resize } = aTerminal(31);
  line.show(bar);
  news();
  for (const columns of [25, 20, 15]) resize(columns, 10);
  line.show((columns) => "-".repeat(columns));
  expect(news()).toBe("");
  resize(11);
  expect(news()).toBe(`\r\x1b[2A\x1b[J${"-".repeat(10)}`);
});

test("a line cleared while a window is resized is not drawn again", () => {
  const { line, news, resize } = aTerminal(31);
  line.show(bar);
  news();
  resize(11, 10);
  line.clear();
  expect(news()).toBe("\r\x1b[2A\x1b[J");
  vi.advanceTimersByTime(1000);
  expect(news()).toBe("");
});
