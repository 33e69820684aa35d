/** Columns of 64-bit floating point numbers. A column is identified by its offset. */

export function number(column: usize, row: i32): f64 {
  return load<f64>(column + ((<usize>row) << 3));
}

export function setNumber(column: usize, row: i32, number: f64): void {
  store<f64>(column + ((<usize>row) << 3), number);
}
