/** A VNC server for a simulated instance: its terminal as a picture, and keys for it. */
import * as rfb from "./rfb.js";
import { type ConsoleFacts, simulatedTerminal } from "./terminal.js";
import { TextScreen } from "./text-screen.js";

const [columns, rows, cellWidth, cellHeight] = [80, 25, 8, 16];

type Colour = readonly [red: number, green: number, blue: number];
const ground: Colour = [16, 24, 22];
const ink: Colour = [196, 226, 214];

const controlKeys: ReadonlySet<number> = new Set([65507, 65508]);

/** A VNC server as a function of the bytes that its client sends. Sends its version first; it needs no password. */
export function simulatedScreen(facts: ConsoleFacts, send: (bytes: Uint8Array) => void) {
  const screen = new TextScreen(columns, rows);
  const terminal = simulatedTerminal(facts, (text) => screen.write(text));
  let format = rfb.usualFormat;
  let isAwaited = false;
  let isControl = false;
  /** Messages of the handshake that have come: version, kind of security, beginning. */
  let greetings = 0;
  let unread = new Uint8Array(0);

  const update = () => {
    const changed = isAwaited ? screen.takeChanged() : [];
    if (changed.length === 0) return;
    isAwaited = false;
    send(
      rfb.framebufferUpdate(
        changed.map((row) => rectangleOf(screen, row)),
        format,
      ),
    );
  };
  const greet = () => {
    greetings += 1;
    if (greetings === 1) send(rfb.securityKinds);
    else if (greetings === 2) send(rfb.securityPassed);
    else {
      const name = `${facts.instance} (simulated)`;
      send(rfb.serverInit(columns * cellWidth, rows * cellHeight, name));
    }
  };
  const key = (isDown: boolean, keysym: number) => {
    if (controlKeys.has(keysym)) isControl = isDown;
    else if (isDown) terminal.input(rfb.typedText(keysym, isControl));
  };
  const obey = (message: Uint8Array) => {
    switch (message[0]) {
      case 0:
        format = rfb.pixelFormatOf(message);
        break;
      case 3:
        if (message[1] === 0) screen.touch();
        isAwaited = true;
        break;
      case 4:
        key(message[1] === 1, rfb.number32(message, 4));
        break;
    }
    update();
  };
  send(rfb.version);
  return {
    /** Bytes from the client. @throws RangeError for bytes that this server does not understand */
    input(bytes: Uint8Array): void {
      unread = Uint8Array.from([...unread, ...bytes]);
      while (unread.length > 0) {
        const length =
          greetings < 3 ? (greetingLengths[greetings] ?? 1) : rfb.messageLength(unread);
        if (length === undefined || unread.length < length) return;
        const message = unread.subarray(0, length);
        unread = unread.slice(length);
        if (greetings < 3) greet();
        else obey(message);
      }
    },
  };
}

const greetingLengths = [rfb.version.length, 1, 1];

/** A row of characters, with the cursor as a block. */
function rectangleOf(screen: TextScreen, row: number): rfb.Rectangle {
  const { cursor } = screen;
  const colourAt = (x: number, y: number): Colour => {
    const column = Math.floor(x / cellWidth);
    const isInk = isSet(screen.at(column, row), (x % cellWidth) - 1, Math.floor((y - 1) / 2));
    const isCursor = cursor.y === row && cursor.x === column;
    return isInk === isCursor ? ground : ink;
  };
  return { y: row * cellHeight, width: columns * cellWidth, height: cellHeight, colourAt };
}

const width = 5;
const height = 7;

const glyphColumns = (
  "0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649552250 0005030000 001c224100 0041221c00 " +
  "082a1c2a08 08083e0808 0050300000 0808080808 0060600000 2010080402 3e5149453e 00427f4000 4261514946 2141454b31 " +
  "1814127f10 2745454539 3c4a494930 0171090503 3649494936 064949291e 0036360000 0056360000 0008142241 1414141414 " +
  "4122140800 0201510906 324979413e 7e1111117e 7f49494936 3e41414122 7f4141221c 7f49494941 7f09090901 3e4149497a " +
  "7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f020c027f 7f0408107f 3e4141413e 7f09090906 3e4151215e " +
  "7f09192946 4649494931 01017f0101 3f4040403f 1f2040201f 3f4038403f 6314081463 0708700807 6151494543 007f414100 " +
  "0204081020 0041417f00 0402010204 4040404040 0001020400 2054545478 7f48444438 3844444420 384444487f 3854545418 " +
  "087e090102 0c5252523e 7f08040478 00447d4000 2040443d00 7f10284400 00417f4000 7c04180478 7c08040478 3844444438 " +
  "7c14141408 081414187c 7c08040408 4854545420 043f444020 3c4040207c 1c2040201c 3c4030403c 4428102844 0c5050503c " +
  "4464544c44 0008364100 00007f0000 0041360800 1008081008"
).split(" ");

/** Whether a pixel of a character is set; characters without a glyph are blank. */
function isSet(character: string, x: number, y: number): boolean {
  const glyph = glyphColumns[character.charCodeAt(0) - 0x20];
  if (glyph === undefined || x < 0 || x >= width || y < 0 || y >= height) return false;
  return ((Number.parseInt(glyph.slice(2 * x, 2 * x + 2), 16) >> y) & 1) === 1;
}
