/** Aligned tables: every column as wide as its widest cell, numbers aligned to the right. */

export interface Column {
  readonly header: string;
  readonly numeric: boolean;
  readonly cells: readonly string[];
}

/** Header and rows; every cell is preceded by a blank, and text cells keep trailing blanks. */
export function tableText(columns: readonly Column[], rowCount: number, prefix = ""): string {
  const padded = columns.map(({ header, numeric, cells }) => {
    const all = [header, ...cells];
    const width = all.reduce((widest, cell) => Math.max(widest, cell.length), 0);
    return all.map((cell) => (numeric ? cell.padStart(width) : cell.padEnd(width)));
  });
  const rows = Array.from(
    { length: rowCount + 1 },
    (_, row) => prefix + padded.map((column) => ` ${column[row]}`).join(""),
  );
  return rows.map((row) => `${row}\n`).join("");
}
