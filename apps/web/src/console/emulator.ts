/** Emulator: a terminal for serial consoles, with the part of VT220 and xterm that boot loaders, shells and editors use. */
import { blank, type Cell, plain, type Style, styled } from "./cells.js";

/** Maximum number of rows kept after they have scrolled off the screen. */
const historyMax = 2000;

/** Maximum length of a control sequence; longer ones are dropped. */
const sequenceMax = 4096;

/** Line drawing characters of the DEC set, from the grave accent on. */
const drawing = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

interface Screen {
  lines: Cell[][];
  x: number;
  y: number;
  style: Style;
}

export class Emulator {
  readonly columns: number;
  readonly rows: number;
  readonly history: (readonly Cell[])[] = [];
  /** Sends answers to the other side, such as the position of the cursor. */
  readonly #answer: (text: string) => void;
  readonly #changed = new Set<number>();
  #screen: Screen;
  #main: Screen | undefined;
  #saved: Pick<Screen, "x" | "y" | "style"> = { x: 0, y: 0, style: plain };
  #top = 0;
  #bottom: number;
  #sequence: string | undefined;
  #isDrawing = false;
  #isCursorShown = true;
  #areKeysApplication = false;

  constructor(columns: number, rows: number, answer: (text: string) => void) {
    this.columns = columns;
    this.rows = rows;
    this.#answer = answer;
    this.#bottom = rows - 1;
    this.#screen = this.#empty();
  }

  #empty(): Screen {
    return { lines: this.#blanks(this.rows), x: 0, y: 0, style: plain };
  }

  #blanks(count: number): Cell[][] {
    return Array.from({ length: count }, () => this.#blankLine());
  }

  #blankLine(): Cell[] {
    return Array.from({ length: this.columns }, () => blank);
  }

  line(row: number): readonly Cell[] {
    return this.#screen.lines[row] ?? [];
  }

  /** Position of the cursor; undefined while it is hidden. */
  get cursor(): { readonly x: number; readonly y: number } | undefined {
    const { x, y } = this.#screen;
    return this.#isCursorShown ? { x: Math.min(x, this.columns - 1), y } : undefined;
  }

  /** Whether cursor keys send the sequences of application mode. */
  get areKeysApplication(): boolean {
    return this.#areKeysApplication;
  }

  /** Rows that have changed since the last call. */
  takeChanged(): ReadonlySet<number> {
    const rows = new Set(this.#changed);
    this.#changed.clear();
    return rows;
  }

  write(text: string): void {
    this.#changed.add(this.#screen.y);
    for (const character of text) {
      if (this.#sequence === undefined) this.#put(character);
      else this.#continue(character);
    }
    this.#changed.add(this.#screen.y);
  }

  #put(character: string): void {
    const screen = this.#screen;
    switch (character) {
      case "\x1b":
        this.#sequence = "";
        break;
      case "\r":
        screen.x = 0;
        break;
      case "\n":
      case "\v":
      case "\f":
        this.#lineFeed();
        break;
      case "\b":
        screen.x = Math.max(0, Math.min(screen.x, this.columns - 1) - 1);
        break;
      case "\t":
        screen.x = Math.min(this.columns - 1, (Math.floor(screen.x / 8) + 1) * 8);
        break;
      case "\x0e":
        this.#isDrawing = true;
        break;
      case "\x0f":
        this.#isDrawing = false;
        break;
      default:
        if (character >= " " && character !== "\x7f") this.#print(character);
    }
  }

  #print(character: string): void {
    const screen = this.#screen;
    if (screen.x >= this.columns) {
      screen.x = 0;
      this.#lineFeed();
    }
    const drawn = this.#isDrawing ? drawing[character.charCodeAt(0) - 0x60] : undefined;
    const line = screen.lines[screen.y] as Cell[];
    line[screen.x] = { text: drawn ?? character, style: screen.style };
    screen.x += 1;
    this.#changed.add(screen.y);
  }

  #lineFeed(): void {
    const screen = this.#screen;
    this.#changed.add(screen.y);
    if (screen.y === this.#bottom) this.#scroll(1);
    else if (screen.y < this.rows - 1) screen.y += 1;
  }

  /** Moves the lines of the scroll region up, or down by a negative number. */
  #scroll(by: number, top = this.#top): void {
    const { lines } = this.#screen;
    const height = this.#bottom - top + 1;
    const count = Math.min(Math.abs(by), height);
    if (by > 0) {
      const gone = lines.splice(top, count);
      lines.splice(this.#bottom - count + 1, 0, ...this.#blanks(count));
      if (top === 0 && this.#main === undefined) {
        this.history.push(...gone);
        this.history.splice(0, this.history.length - historyMax);
      }
    } else {
      lines.splice(this.#bottom - count + 1, count);
      lines.splice(top, 0, ...this.#blanks(count));
    }
    this.#allChanged();
  }

  #allChanged(): void {
    for (let row = 0; row < this.rows; row++) this.#changed.add(row);
  }

  #continue(character: string): void {
    const sequence = (this.#sequence ?? "") + character;
    this.#sequence = sequence.length > sequenceMax ? undefined : sequence;
    const [first] = sequence;
    if (first === "[") {
      if (sequence.length > 1 && /[@-~]/.test(character)) this.#control(sequence);
      else return;
    } else if (first === "]" || first === "P") {
      // Sequences without effect, such as titles, end with BEL or ESC \.
      if (character !== "\x07" && !sequence.endsWith("\x1b\\")) return;
    } else if (first === "(" || first === ")") {
      if (sequence.length < 2) return;
      if (first === "(") this.#isDrawing = character === "0";
    } else if (first === "#" || first === "%" || first === " ") {
      if (sequence.length < 2) return;
    } else this.#escape(character);
    this.#sequence = undefined;
  }

  #escape(character: string): void {
    const screen = this.#screen;
    switch (character) {
      case "7":
        this.#saved = { x: screen.x, y: screen.y, style: screen.style };
        break;
      case "8":
        Object.assign(screen, this.#saved);
        break;
      case "D":
        this.#lineFeed();
        break;
      case "E":
        screen.x = 0;
        this.#lineFeed();
        break;
      case "M":
        if (screen.y === this.#top) this.#scroll(-1);
        else screen.y = Math.max(0, screen.y - 1);
        break;
      case "c":
        this.#screen = this.#empty();
        this.#main = undefined;
        this.#top = 0;
        this.#bottom = this.rows - 1;
        this.#isCursorShown = true;
        this.#areKeysApplication = false;
        this.#isDrawing = false;
        this.#allChanged();
        break;
    }
  }

  #control(sequence: string): void {
    const [, mark = "", list = "", final = ""] =
      /^\[([?>!]?)([\d;:]*)[ -/]*([@-~])$/.exec(sequence) ?? [];
    const numbers = list === "" ? [] : list.split(/[;:]/).map(Number);
    if (mark === "?") {
      if (final === "h" || final === "l") {
        for (const mode of numbers) this.#setMode(mode, final === "h");
      }
    } else if (mark === "") this.#act(final, numbers);
  }

  #setMode(mode: number, isOn: boolean): void {
    if (mode === 1) this.#areKeysApplication = isOn;
    else if (mode === 25) this.#isCursorShown = isOn;
    else if (mode === 47 || mode === 1047 || mode === 1049) this.#setAlternate(isOn);
  }

  /** Switches to or from the alternate screen of editors, which leaves the normal screen unchanged. */
  #setAlternate(isOn: boolean): void {
    if (isOn === (this.#main !== undefined)) return;
    if (isOn) {
      this.#main = this.#screen;
      this.#screen = { ...this.#empty(), style: this.#main.style };
    } else {
      this.#screen = this.#main as Screen;
      this.#main = undefined;
    }
    this.#top = 0;
    this.#bottom = this.rows - 1;
    this.#allChanged();
  }

  #act(final: string, numbers: readonly number[]): void {
    const screen = this.#screen;
    const x = Math.min(screen.x, this.columns - 1);
    this.#changed.add(screen.y);
    const target = this.#targetOf(final, numbers, x);
    if (target !== undefined) {
      screen.x = Math.min(this.columns - 1, Math.max(0, target[0]));
      screen.y = Math.min(this.rows - 1, Math.max(0, target[1]));
    } else if (final === "m") screen.style = styled(screen.style, numbers);
    else if (final === "n" && numbers[0] === 6) this.#answer(`\x1b[${screen.y + 1};${x + 1}R`);
    else if (final === "n" && numbers[0] === 5) this.#answer("\x1b[0n");
    else if (final === "c") this.#answer("\x1b[?62c");
    else if (final === "r") this.#setRegion(numbers);
    else if (final === "s") this.#saved = { x, y: screen.y, style: screen.style };
    else if (final === "u") Object.assign(screen, this.#saved);
    else this.#edit(final, numbers, x);
  }

  /** Where a sequence moves the cursor; undefined if it does something else. */
  #targetOf(final: string, numbers: readonly number[], x: number): [number, number] | undefined {
    const { y } = this.#screen;
    const count = Math.max(1, numbers[0] ?? 1);
    switch (final) {
      case "A":
        return [x, Math.max(y >= this.#top ? this.#top : 0, y - count)];
      case "B":
      case "e":
        return [x, Math.min(y <= this.#bottom ? this.#bottom : this.rows, y + count)];
      case "C":
      case "a":
        return [x + count, y];
      case "D":
        return [x - count, y];
      case "E":
        return [0, y + count];
      case "F":
        return [0, y - count];
      case "G":
      case "`":
        return [count - 1, y];
      case "d":
        return [x, count - 1];
      case "H":
      case "f":
        return [(numbers[1] || 1) - 1, count - 1];
      default:
        return undefined;
    }
  }

  #edit(final: string, numbers: readonly number[], x: number): void {
    const line = this.#screen.lines[this.#screen.y] as Cell[];
    const count = Math.max(1, numbers[0] ?? 1);
    switch (final) {
      case "J":
        this.#eraseScreen(numbers[0] ?? 0, x);
        break;
      case "K":
        this.#eraseLine(line, numbers[0] ?? 0, x);
        break;
      case "X":
        line.fill(this.#erased(), x, x + count);
        break;
      case "P":
        line.splice(x, count);
        line.push(...this.#blankLine().slice(line.length));
        break;
      case "@":
        line.splice(x, 0, ...this.#blankLine().slice(0, count));
        line.length = this.columns;
        break;
      case "L":
        this.#moveLines(-count);
        break;
      case "M":
        this.#moveLines(count);
        break;
      case "S":
        this.#scroll(count);
        break;
      case "T":
        this.#scroll(-count);
        break;
    }
  }

  /** Moves the lines from the cursor to the end of the scroll region; has no effect outside of it. */
  #moveLines(by: number): void {
    const { y } = this.#screen;
    if (y < this.#top || y > this.#bottom) return;
    const before = this.history.length;
    this.#scroll(by, y);
    this.history.length = Math.min(before, this.history.length);
  }

  #setRegion([top = 1, bottom = this.rows]: readonly number[]): void {
    const [first, last] = [Math.max(1, top) - 1, Math.min(this.rows, bottom || this.rows) - 1];
    if (first >= last) return;
    this.#top = first;
    this.#bottom = last;
    this.#screen.x = 0;
    this.#screen.y = 0;
  }

  /** Erased cells get the current background colour. */
  #erased(): Cell {
    const { ground } = this.#screen.style;
    return ground === undefined ? blank : { text: " ", style: { ...plain, ground } };
  }

  #eraseLine(line: Cell[], kind: number, x: number): void {
    if (kind === 0) line.fill(this.#erased(), x);
    else if (kind === 1) line.fill(this.#erased(), 0, x + 1);
    else line.fill(this.#erased());
  }

  #eraseScreen(kind: number, x: number): void {
    const { lines, y } = this.#screen;
    if (kind === 3) {
      this.history.length = 0;
      return;
    }
    lines.forEach((line, row) => {
      if (row === y && kind !== 2) this.#eraseLine(line, kind, x);
      else if (kind === 2 || (kind === 0 ? row > y : row < y)) line.fill(this.#erased());
    });
    this.#allChanged();
  }
}
