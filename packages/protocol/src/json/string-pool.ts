/** String pool that keeps one copy of each repeated string: tags, templates, node names, networks. */
import { quote } from "./byte.js";
import { plainText } from "./string-text.js";

export class StringPool {
  readonly #bytes: Uint8Array;
  // Open addressing; a slot holds 1 + the string's position in `#offsets` and `#texts`.
  #slots = new Int32Array(256);
  readonly #offsets: number[] = [];
  readonly #texts: string[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The text of the string without escapes whose opening quote is at `offset`. */
  textAt(offset: number): string {
    const mask = this.#slots.length - 1;
    let slot = hashAt(this.#bytes, offset) & mask;
    for (let held = this.#slots[slot] as number; held !== 0; held = this.#slots[slot] as number) {
      if (sameString(this.#bytes, this.#offsets[held - 1] as number, offset)) {
        return this.#texts[held - 1] as string;
      }
      slot = (slot + 1) & mask;
    }
    const text = plainText(this.#bytes, offset);
    this.#texts.push(text);
    this.#offsets.push(offset);
    this.#slots[slot] = this.#texts.length;
    if (this.#texts.length * 2 > this.#slots.length) this.#grow();
    return text;
  }

  #grow(): void {
    const mask = this.#slots.length * 4 - 1;
    const slots = new Int32Array(mask + 1);
    this.#offsets.forEach((offset, index) => {
      let slot = hashAt(this.#bytes, offset) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    });
    this.#slots = slots;
  }
}

/** Whether the strings without escapes at two offsets are equal. */
function sameString(bytes: Uint8Array, a: number, b: number): boolean {
  for (let i = 1; ; i++) {
    const byte = bytes[a + i];
    if (byte !== bytes[b + i]) return false;
    if (byte === quote) return true;
  }
}

/** FNV-1a, with the high bits mixed into the low ones that choose a slot. */
function hashAt(bytes: Uint8Array, offset: number): number {
  let hash = 0x811c9dc5;
  for (let at = offset + 1; ; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) return hash ^ (hash >>> 15);
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
}
