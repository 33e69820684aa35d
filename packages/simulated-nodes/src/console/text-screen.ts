/** Characters on a screen of fixed size, as a terminal writes them; colours have no effect. */

export class TextScreen {
  readonly columns: number;
  readonly rows: number;
  readonly #lines: string[][];
  readonly #changed = new Set<number>();
  #x = 0;
  #y = 0;
  #escape: string | undefined;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#lines = Array.from({ length: rows }, () => this.#blank());
  }

  #blank(): string[] {
    return Array.from({ length: this.columns }, () => " ");
  }

  /** The character at a place. */
  at(x: number, y: number): string {
    return this.#lines[y]?.[x] ?? " ";
  }

  get cursor(): { readonly x: number; readonly y: number } {
    return { x: Math.min(this.#x, this.columns - 1), y: this.#y };
  }

  /** Rows that have changed since the last call. */
  takeChanged(): readonly number[] {
    const rows = [...this.#changed].sort((a, b) => a - b);
    this.#changed.clear();
    return rows;
  }

  /** Counts every row as changed. */
  touch(): void {
    for (let row = 0; row < this.rows; row++) this.#changed.add(row);
  }

  write(text: string): void {
    // The cursor leaves its row.
    this.#changed.add(this.#y);
    for (const character of text) this.#put(character);
    this.#changed.add(this.#y);
  }

  #put(character: string): void {
    if (this.#escape !== undefined) {
      this.#escaped(character);
      return;
    }
    switch (character) {
      case "\x1b":
        this.#escape = "";
        return;
      case "\r":
        this.#x = 0;
        return;
      case "\n":
        this.#nextLine();
        return;
      case "\b":
        this.#x = Math.max(0, this.#x - 1);
        return;
      default: {
        if (this.#x >= this.columns) {
          this.#x = 0;
          this.#nextLine();
        }
        const line = this.#lines[this.#y] as string[];
        line[this.#x] = character;
        this.#x += 1;
        this.#changed.add(this.#y);
      }
    }
  }

  #nextLine(): void {
    this.#changed.add(this.#y);
    if (this.#y < this.rows - 1) {
      this.#y += 1;
      return;
    }
    this.#lines.shift();
    this.#lines.push(this.#blank());
    this.touch();
  }

  #escaped(character: string): void {
    this.#escape += character;
    if (this.#escape === "[" || !/[@-~]/.test(character)) return;
    if (this.#escape === "[2J") {
      this.#lines.splice(0, this.rows, ...Array.from({ length: this.rows }, () => this.#blank()));
      this.touch();
    } else if (this.#escape === "[H") {
      this.#x = 0;
      this.#y = 0;
    }
    this.#escape = undefined;
  }
}
