/** Byte sequences that keys send on a terminal. */

export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

const plainKeys: Readonly<Record<string, string>> = {
  ...{ Enter: "\r", Backspace: "\x7f", Tab: "\t", Escape: "\x1b", Delete: "\x1b[3~" },
  ...{ Insert: "\x1b[2~", PageUp: "\x1b[5~", PageDown: "\x1b[6~" },
  ...{ F1: "\x1bOP", F2: "\x1bOQ", F3: "\x1bOR", F4: "\x1bOS", F5: "\x1b[15~" },
  ...{ F6: "\x1b[17~", F7: "\x1b[18~", F8: "\x1b[19~", F9: "\x1b[20~" },
  ...{ F10: "\x1b[21~", F11: "\x1b[23~", F12: "\x1b[24~" },
};

const cursorKeys: Readonly<Record<string, string>> = {
  ...{ ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D" },
  ...{ Home: "H", End: "F" },
};

/** Whether a key leaves the console, Ctrl-Alt-O; the console takes all others. */
export const isLeavingKey = ({ key, ctrlKey, altKey }: Key): boolean =>
  ctrlKey && altKey && key.toLowerCase() === "o";

/** The bytes that a key sends; undefined for text, which the input field receives, and for keys of the browser. */
export function sequenceOf(event: Key, areApplication: boolean): string | undefined {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (metaKey) return undefined;
  const cursor = cursorKeys[key];
  if (cursor !== undefined) {
    const modifiers = 1 + Number(shiftKey) + 2 * Number(altKey) + 4 * Number(ctrlKey);
    if (modifiers > 1) return `\x1b[1;${modifiers}${cursor}`;
    return areApplication ? `\x1bO${cursor}` : `\x1b[${cursor}`;
  }
  if (key === "Tab" && shiftKey) return "\x1b[Z";
  const plain = plainKeys[key];
  if (plain !== undefined) return altKey ? `\x1b${plain}` : plain;
  if (key.length !== 1) return undefined;
  // The browser pastes; Ctrl-Shift-C copies.
  if (ctrlKey && (shiftKey || key === "v")) return undefined;
  if (ctrlKey && !altKey) return controlOf(key);
  return altKey && !ctrlKey ? `\x1b${key}` : undefined;
}

function controlOf(key: string): string | undefined {
  if (/[a-z]/.test(key)) return String.fromCharCode(key.charCodeAt(0) - 96);
  const at = " [\\]^_".indexOf(key);
  if (at < 0) return undefined;
  return key === " " ? "\0" : String.fromCharCode(26 + at);
}
