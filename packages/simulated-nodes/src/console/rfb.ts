/** Messages of VNC (RFB 3.8, RFC 6143) as its server reads and writes them. */

const ascii = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);

const bytesOf16 = (value: number) => [(value >> 8) & 0xff, value & 0xff];
const bytesOf32 = (value: number) => [...bytesOf16(value >>> 16), ...bytesOf16(value)];

export const version = ascii("RFB 003.008\n");
/** One kind of security: none. */
export const securityKinds = Uint8Array.of(1, 1);
export const securityPassed = Uint8Array.of(0, 0, 0, 0);

/** Positions of red, green and blue in a pixel of 32 bits, and its byte order. */
export interface PixelFormat {
  readonly shifts: readonly [red: number, green: number, blue: number];
  readonly isBigEndian: boolean;
}

export const usualFormat: PixelFormat = { shifts: [16, 8, 0], isBigEndian: false };

/** @throws RangeError for pixels other than 32 bits of true colour with 8 bits each */
export function pixelFormatOf(message: Uint8Array): PixelFormat {
  const at = (offset: number) => message[4 + offset] ?? 0;
  const max = (offset: number) => at(offset) * 256 + at(offset + 1);
  const isTrue = at(0) === 32 && at(3) === 1 && [4, 6, 8].every((offset) => max(offset) === 255);
  if (!isTrue) throw new RangeError("only pixels of 32 bits, with 8 bits a colour, are served");
  return { shifts: [at(10), at(11), at(12)], isBigEndian: at(2) !== 0 };
}

export function serverInit(width: number, height: number, name: string): Uint8Array {
  const title = ascii(name);
  const [red, green, blue] = usualFormat.shifts;
  return Uint8Array.from([
    ...[...bytesOf16(width), ...bytesOf16(height)],
    ...[32, 24, 0, 1, 0, 255, 0, 255, 0, 255, red, green, blue, 0, 0, 0],
    ...bytesOf32(title.length),
    ...title,
  ]);
}

export interface Rectangle {
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of a pixel, from the top left. */
  readonly colourAt: (x: number, y: number) => readonly [number, number, number];
}

/** An update of full-width rectangles, as raw pixels. */
export function framebufferUpdate(parts: readonly Rectangle[], format: PixelFormat): Uint8Array {
  const size = parts.reduce((sum, { width, height }) => sum + 12 + width * height * 4, 4);
  const message = new Uint8Array(size);
  const view = new DataView(message.buffer);
  view.setUint16(2, parts.length);
  let at = 4;
  const [red, green, blue] = format.shifts;
  for (const { y, width, height, colourAt } of parts) {
    view.setUint16(at + 2, y);
    view.setUint16(at + 4, width);
    view.setUint16(at + 6, height);
    at += 12;
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const [r, g, b] = colourAt(column, row);
        view.setUint32(at, (r << red) | (g << green) | (b << blue), !format.isBigEndian);
        at += 4;
      }
    }
  }
  return message;
}

/** Longest text that a client may put on the clipboard, and most encodings it may name. */
const [clipboardMax, encodingsMax] = [1 << 20, 1000];

const number16 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
export const number32 = (bytes: Uint8Array, at: number): number =>
  number16(bytes, at) * 65_536 + number16(bytes, at + 2);

/** Length of a client's message from its beginning; undefined while that is too short to tell. */
export function messageLength(head: Uint8Array): number | undefined {
  switch (head[0]) {
    case 0:
      return 20;
    case 2:
      return head.length < 4 ? undefined : 4 + 4 * bounded(number16(head, 2), encodingsMax);
    case 3:
      return 10;
    case 4:
      return 8;
    case 5:
      return 6;
    case 6:
      return head.length < 8 ? undefined : 8 + bounded(number32(head, 4), clipboardMax);
    default:
      throw new RangeError(`there is no message ${head[0]} of a client`);
  }
}

function bounded(length: number, max: number): number {
  if (length > max)
    throw new RangeError(`a message has ${length} entries, at most ${max} are taken`);
  return length;
}

const keys: Readonly<Record<number, string>> = {
  65288: "\b",
  65289: "\t",
  65293: "\r",
  65307: "\x1b",
  65421: "\r",
};

/** The characters of a key, by its X11 keysym; with the control key letters are control characters. */
export function typedText(keysym: number, isControl: boolean): string {
  const character =
    keysym >= 0x20 && keysym <= 0x7e ? String.fromCharCode(keysym) : (keys[keysym] ?? "");
  return isControl && /[a-z]/i.test(character)
    ? String.fromCharCode(character.toLowerCase().charCodeAt(0) - 96)
    : character;
}
