/** Columns of 32-bit integers, stored contiguously. A column is identified by its offset. */

export function value(column: usize, row: i32): i32 {
  return load<i32>(column + ((<usize>row) << 2));
}

export function setValue(column: usize, row: i32, value: i32): void {
  store<i32>(column + ((<usize>row) << 2), value);
}

/** The bit of `mask` at the position stored in the column. */
export function isAmong(mask: u32, column: usize, row: i32): bool {
  return ((mask >>> value(column, row)) & 1) !== 0;
}

let next: usize = 0;

/** Sets the start of the first column that `column` returns. */
export function columnsFrom(begin: usize): void {
  next = begin;
}

/** The next column, with this number of rows. */
export function column(rows: i32): usize {
  const begin = next;
  next += (<usize>rows) << 2;
  return begin;
}
