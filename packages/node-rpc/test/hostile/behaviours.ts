// Classes of bad answers, generated from a good answer and random numbers.
import { writeAsciiJson } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import type { Behaviour, Connection } from "./daemon.js";
import type { KnownExchange } from "./known.js";
import { longJson, mutatedBytes, mutatedJson } from "./mutations.js";

/** A class of bad answers. */
export interface BadAnswers {
  /** Whether the client may accept the answer, because the change can leave it valid. */
  readonly canBeGood?: true;
  /** Whether only a time limit ends the call. */
  readonly hangs?: true;
  readonly make: (dice: Dice, known: KnownExchange) => Behaviour;
}

/** Maximum size of an answer that the client accepts in these tests. */
export const answerBytesMax = 100_000;

const http = (body: string | Buffer, head = "HTTP/1.1 200 OK\r\nConnection: close"): Buffer => {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([Buffer.from(`${head}\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]);
};

/** Sends the bytes after the request, and ends the connection. */
const answering =
  (bytes: Buffer | string): Behaviour =>
  async ({ requested }) => {
    (await requested()).end(bytes);
  };

/** Sends the bytes after the request, and leaves the connection open. */
const stalling =
  (bytes: Buffer | string): Behaviour =>
  async ({ requested }) => {
    const socket = await requested();
    await new Promise((resolve) => socket.write(bytes, resolve));
  };

const part = (dice: Dice, bytes: Buffer) => bytes.subarray(0, dice.between(1, bytes.length - 1));
const good = ({ answer }: KnownExchange) => http(`${writeAsciiJson(answer)}\n`);
const nothing = () => {};

const heads = [
  "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\n[true]\n",
  "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n[true]\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[true]\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n[true]",
  "HTTP/1.1 999 \r\n\r\n",
  "HTTP/9.9 200 OK\r\n\r\n[true]",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nrubbish",
  "HTTP/1.1 204 No Content\r\n\r\n",
  "HTTP/1.1 304 Not Modified\r\n\r\n",
  "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
  `HTTP/1.1 200 OK\r\nX: ${"y".repeat(100_000)}\r\n\r\n[true]`,
  `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(5000)}\r\n[true]`,
  "HTTP/1.1 200 OK\r\nA\u0000: b\r\n\r\n[true]",
  "\r\n\r\n\r\n",
  "SSH-2.0-OpenSSH_9.2\r\n",
  "[true, 3000000]\n",
];

const beforeTls: readonly ((dice: Dice) => (connection: Connection) => void)[] = [
  () =>
    ({ raw }) =>
      raw.destroy(),
  () =>
    ({ raw }) =>
      raw.resetAndDestroy(),
  () =>
    ({ raw }) =>
      raw.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
  (dice) =>
    ({ raw }) =>
      raw.end(mutatedBytes(dice, "\u0016\u0003\u0003\u0000\u0010hello")),
  // A fatal alert.
  (dice) =>
    ({ raw }) =>
      raw.end(Buffer.from([21, 3, 3, 0, 2, 2, dice.between(0, 255)])),
  (dice) =>
    ({ raw }) =>
      raw.once("data", (hello) => raw.end(mutatedBytes(dice, String(hello)))),
];

export const badAnswers: Readonly<Record<string, BadAnswers>> = {
  "a value with another part": {
    canBeGood: true,
    make: (dice, { answer }) => answering(http(writeAsciiJson(mutatedJson(dice, answer)))),
  },
  "a payload with another part": {
    canBeGood: true,
    make(dice, { answer }) {
      const [success, payload = null] = answer as [boolean, KnownExchange["answer"]];
      return answering(http(writeAsciiJson([success, mutatedJson(dice, payload)])));
    },
  },
  "a body with other bytes": {
    canBeGood: true,
    make: (dice, { answer }) => answering(http(mutatedBytes(dice, writeAsciiJson(answer)))),
  },
  "an HTTP answer with other bytes": {
    canBeGood: true,
    make: (dice, known) => answering(mutatedBytes(dice, good(known).toString("latin1"))),
  },
  "an HTTP answer with an odd head": { make: (dice) => answering(dice.pick(heads)) },
  "another status": {
    make(dice) {
      const status = dice.pick([201, 301, 400, 404, 500, 503]);
      return answering(http(mutatedBytes(dice, "<html>no</html>"), `HTTP/1.1 ${status} Odd`));
    },
  },
  "a failure with a long text": {
    make(dice) {
      const text = "x".repeat(dice.between(70_000, answerBytesMax - 1000));
      const status = dice.pick(["200 OK", "500 Odd"]);
      return answering(http(writeAsciiJson([false, text]), `HTTP/1.1 ${status}`));
    },
  },
  "a body that is too large": {
    make: (dice) => answering(http(longJson(dice, answerBytesMax * dice.between(2, 10)))),
  },
  "a body that does not end and is too large": {
    make: (dice) => async (connection) => {
      const socket = await connection.requested();
      const chunk = "x".repeat(dice.between(1000, 60_000));
      socket.on("error", nothing).write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      while (!socket.destroyed && connection.raw.writable) {
        const frame = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
        await new Promise((resolve) => socket.write(frame, resolve));
      }
    },
  },
  "a body of many brackets": {
    make: (dice) => answering(http(longJson(dice, dice.between(1000, answerBytesMax / 2)))),
    canBeGood: true,
  },
  "a cut answer": {
    make: (dice, known) => async (connection) => {
      const socket = await connection.requested();
      const bytes = part(dice, good(known).subarray(0, -2));
      await new Promise((resolve) => socket.write(bytes, resolve));
      if (dice.chance(0.5)) connection.raw.resetAndDestroy();
      else connection.raw.destroy();
    },
  },
  "no answer after the handshake": {
    make: (dice) => async (connection) => {
      const socket = await (dice.chance(0.5) ? connection.secured() : connection.requested());
      if (dice.chance(0.5)) socket.destroy();
      else socket.end();
    },
  },
  "no handshake": { make: (dice) => dice.pick(beforeTls)(dice) },
  "silence after connecting": { hangs: true, make: () => nothing },
  "silence after the handshake": {
    hangs: true,
    make: () => async (connection) => void (await connection.secured()),
  },
  "silence within the answer": {
    hangs: true,
    make: (dice, known) => stalling(part(dice, good(known).subarray(0, -2))),
  },
  "a byte now and then": {
    hangs: true,
    make: (dice, known) => async (connection) => {
      const socket = await connection.requested();
      for (const byte of part(dice, good(known).subarray(0, dice.between(3, 60)))) {
        await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
      }
    },
  },
};
