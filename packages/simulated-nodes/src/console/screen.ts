/** A VNC server for a simulated instance: its terminal as a picture, and keys for it. */
import { isSet } from "./font.js";
import * as rfb from "./rfb.js";
import { type ConsoleFacts, simulatedTerminal } from "./terminal.js";
import { TextScreen } from "./text-screen.js";

/** A VNC server as a function of the bytes that its client sends. */
interface SimulatedScreen {
  /** Bytes from the client. @throws RangeError for bytes that this server does not understand */
  input(bytes: Uint8Array): void;
}

const [columns, rows, cellWidth, cellHeight] = [80, 25, 8, 16];

type Colour = readonly [red: number, green: number, blue: number];
const ground: Colour = [16, 24, 22];
const ink: Colour = [196, 226, 214];

const controlKeys: ReadonlySet<number> = new Set([65507, 65508]);

/** Sends what a VNC server sends, first its version; it needs no password. */
export function simulatedScreen(
  facts: ConsoleFacts,
  send: (bytes: Uint8Array) => void,
): SimulatedScreen {
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
    input(bytes) {
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
