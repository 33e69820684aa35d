/** Characters of a terminal with their colours. */

export interface Style {
  /** Colour number of terminals (0–255) or `#rrggbb`; undefined is the terminal's default. */
  readonly ink?: number | string | undefined;
  readonly ground?: number | string | undefined;
  readonly isBold: boolean;
  readonly isUnderlined: boolean;
  readonly isReverse: boolean;
}

export interface Cell {
  readonly text: string;
  readonly style: Style;
}

export const plain: Style = { isBold: false, isUnderlined: false, isReverse: false };
export const blank: Cell = { text: " ", style: plain };

/** The style after the numbers of an SGR sequence. */
export function styled(before: Style, numbers: readonly number[]): Style {
  let style = before;
  const rest = numbers.length === 0 ? [0] : [...numbers];
  while (rest.length > 0) {
    const code = rest.shift() as number;
    if (code === 38 || code === 48) {
      const colour = longColour(rest);
      style = code === 38 ? { ...style, ink: colour } : { ...style, ground: colour };
    } else style = after(style, code);
  }
  return style;
}

function after(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, isBold: true };
  if (code === 4) return { ...style, isUnderlined: true };
  if (code === 7) return { ...style, isReverse: true };
  if (code === 22) return { ...style, isBold: false };
  if (code === 24) return { ...style, isUnderlined: false };
  if (code === 27) return { ...style, isReverse: false };
  if (code === 39) return { ...style, ink: undefined };
  if (code === 49) return { ...style, ground: undefined };
  if (code >= 30 && code <= 37) return { ...style, ink: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, ground: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, ink: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, ground: code - 92 };
  return style;
}

/** Colour of the parameters `5;N` or `2;R;G;B`, which are removed from the list. */
function longColour(rest: number[]): number | string | undefined {
  const kind = rest.shift();
  if (kind === 5) return rest.shift();
  if (kind !== 2) return undefined;
  const hex = (value = 0) => Math.min(255, value).toString(16).padStart(2, "0");
  return `#${rest.splice(0, 3).map(hex).join("")}`;
}

const steps = [0, 95, 135, 175, 215, 255];

/** A colour as CSS: the first 16 are variables of the style sheet. */
export function cssColour(colour: number | string): string {
  if (typeof colour === "string") return colour;
  if (colour < 16) return `var(--tty-${colour})`;
  if (colour >= 232) {
    const grey = 8 + (colour - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const at = colour - 16;
  const part = (unit: number) => steps[Math.floor(at / unit) % 6];
  return `rgb(${part(36)} ${part(6)} ${part(1)})`;
}
