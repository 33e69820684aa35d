/**
 * List of the instances of a node, newest first: an immutable linked list, so that restoring the old list
 * undoes a trial.
 */
export interface IndexList {
  readonly index: number;
  readonly rest: IndexList | undefined;
  readonly length: number;
}

export const prepend = (index: number, rest: IndexList | undefined): IndexList => ({
  index,
  rest,
  length: (rest?.length ?? 0) + 1,
});

/** The list of `indices` from `begin` to before `end`; its entries are created when they are reached. */
export const storedList = (
  indices: Int32Array,
  begin: number,
  end: number,
): IndexList | undefined => (begin === end ? undefined : new StoredList(indices, begin, end));

class StoredList implements IndexList {
  readonly index: number;
  readonly length: number;

  constructor(
    private readonly indices: Int32Array,
    private readonly begin: number,
    end: number,
  ) {
    this.index = indices[begin] as number;
    this.length = end - begin;
  }

  get rest(): IndexList | undefined {
    const { indices, begin, length } = this;
    return storedList(indices, begin + 1, begin + length);
  }
}

/** The list without the first occurrence of `index`; unchanged if there is none. */
export function without(list: IndexList | undefined, index: number): IndexList | undefined {
  const before: number[] = [];
  let at = list;
  while (at !== undefined && at.index !== index) {
    before.push(at.index);
    at = at.rest;
  }
  if (at === undefined) return list;
  return before.reduceRight<IndexList | undefined>((rest, kept) => prepend(kept, rest), at.rest);
}

/** A list as long as `list` without one entry; valid only for `lengthOf`. */
export const shorter = (list: IndexList | undefined): IndexList | undefined =>
  list && { index: list.index, rest: undefined, length: list.length - 1 };

export const lengthOf = (list: IndexList | undefined): number => list?.length ?? 0;

export function toArray(list: IndexList | undefined): number[] {
  const indices: number[] = [];
  for (let at = list; at !== undefined; at = at.rest) indices.push(at.index);
  return indices;
}
