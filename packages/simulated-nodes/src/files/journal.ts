/**
 * A file of texts by name to which changes are appended: a change costs what it writes, whatever else there is.
 * Who reads it from where he stopped learns what others have appended.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";

/** A file is written anew when it is that much, and much larger than what it says. */
const sizeMin = 4 * 1024 * 1024;
const newline = 10;

/** One line for each change: the name as JSON, a blank, the text. A later one of a name counts. */
export class Journal {
  readonly #path: string;
  #file: number;
  #inode = 0n;
  /** Up to which byte it has been read or written. */
  #offset = 0;
  readonly #texts = new Map<string, string>();
  #liveBytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#open();
  }

  /** What has been appended since the last time, by others or before; texts by name. */
  news(): ReadonlyMap<string, string> {
    if (statSync(this.#path, { bigint: true }).ino !== this.#inode) {
      // Somebody has written it anew.
      closeSync(this.#file);
      this.#file = this.#open();
    }
    const found = new Map<string, string>();
    for (const line of this.#linesBeyond()) {
      const end = line.indexOf('" ') + 1;
      const name = JSON.parse(line.slice(0, end)) as string;
      found.set(name, line.slice(end + 1));
    }
    for (const [name, text] of found) this.#remember(name, text);
    return found;
  }

  /** Texts are one line each. They are in the file when this returns. */
  add(changed: ReadonlyMap<string, string>): void {
    let lines = "";
    for (const [name, text] of changed) {
      lines += lineOf(name, text);
      this.#remember(name, text);
    }
    const bytes = Buffer.from(lines);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#offset += bytes.length;
    if (this.#offset > sizeMin && this.#offset > 4 * this.#liveBytes) this.#writeAnew();
  }

  #remember(name: string, text: string): void {
    this.#liveBytes += text.length - (this.#texts.get(name)?.length ?? 0);
    this.#texts.set(name, text);
  }

  #open(): number {
    const file = openSync(this.#path, "a+", 0o600);
    this.#inode = fstatSync(file, { bigint: true }).ino;
    this.#offset = 0;
    return file;
  }

  /** A line without an end is of somebody who died writing it: it goes. */
  #linesBeyond(): string[] {
    const { size } = fstatSync(this.#file);
    if (size <= this.#offset) return [];
    const bytes = Buffer.alloc(size - this.#offset);
    for (let at = 0; at < bytes.length; ) {
      at += readSync(this.#file, bytes, at, bytes.length - at, this.#offset + at);
    }
    const end = bytes.lastIndexOf(newline) + 1;
    if (end < bytes.length) ftruncateSync(this.#file, this.#offset + end);
    this.#offset += end;
    return bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  }

  /** The file is whole or it is the one before. */
  #writeAnew(): void {
    const lines = Array.from(this.#texts, ([name, text]) => lineOf(name, text));
    const bytes = Buffer.from(lines.join(""));
    writeFileSync(`${this.#path}.new`, bytes, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    closeSync(this.#file);
    this.#file = this.#open();
    this.#offset = bytes.length;
  }
}

const lineOf = (name: string, text: string): string => `${JSON.stringify(name)} ${text}\n`;
