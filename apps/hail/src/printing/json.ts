/** Documents of `--json`: one line on stdout. */

/** Numbers that JSON has no notation for are written by name. */
export const jsonText = (document: unknown): string => `${JSON.stringify(document, figures)}\n`;

const figures = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
