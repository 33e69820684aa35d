/** Columns of 32-bit integers, one behind the other. A column is told by its offset. */

export function value(column: usize, row: i32): i32 {
  return load<i32>(column + ((<usize>row) << 2));
}

export function setValue(column: usize, row: i32, value: i32): void {
  store<i32>(column + ((<usize>row) << 2), value);
}

/** The bit of `mask` at the position that the column tells. */
export function isAmong(mask: u32, column: usize, row: i32): bool {
  return ((mask >>> value(column, row)) & 1) !== 0;
}

let next: usize = 0;

/** The first of the columns that `column` gives from now on. */
export function columnsFrom(begin: usize): void {
  next = begin;
}

/** The next column, of so many rows. */
export function column(rows: i32): usize {
  const begin = next;
  next += (<usize>rows) << 2;
  return begin;
}
