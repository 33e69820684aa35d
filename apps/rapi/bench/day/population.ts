/** Names from which one is chosen by a number from 0 to 1; adding and taking one costs O(1). */
export class Population {
  readonly #names: string[];
  readonly #places = new Map<string, number>();

  constructor(names: Iterable<string>) {
    this.#names = [...names];
    for (const [at, name] of this.#names.entries()) this.#places.set(name, at);
  }

  get size(): number {
    return this.#names.length;
  }

  add(name: string): void {
    this.#places.set(name, this.#names.push(name) - 1);
  }

  remove(name: string): void {
    const at = this.#places.get(name);
    if (at === undefined) return;
    this.#places.delete(name);
    const last = this.#names.pop() as string;
    if (last === name) return;
    this.#names[at] = last;
    this.#places.set(last, at);
  }

  /** The chosen name, or the next suitable one. */
  chosen(choice: number, suits: (name: string) => boolean = () => true): string | undefined {
    const first = Math.floor(choice * this.#names.length);
    for (let offset = 0; offset < Math.min(1000, this.#names.length); offset++) {
      const name = this.#names[(first + offset) % this.#names.length] as string;
      if (suits(name)) return name;
    }
    return undefined;
  }
}
