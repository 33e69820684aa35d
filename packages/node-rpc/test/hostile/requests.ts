// Classes of bad requests to a node, generated from a good request and random numbers.
import { writeAsciiJson } from "@ganeti-ts/protocol";
import type { Dice } from "@ganeti-ts/testkit/simulation";
import type { KnownExchange } from "./known.js";
import { longJson, mutatedBytes, mutatedJson } from "./mutations.js";

/** Maximum size of a body that the server accepts in these tests. */
export const bodyBytesMax = 100_000;

/** The client sends the bytes, and may then end its side or the whole connection. */
export interface BadRequest {
  readonly bytes: Buffer;
  readonly afterwards?: "end" | "destroy";
}

const request = (name: string, body: string | Buffer, head = ""): Buffer => {
  const bytes = Buffer.from(body as string);
  const line = `POST /${name} HTTP/1.1\r\nHost: a\r\n${head}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(line), bytes]);
};

const good = ({ name, request: json }: KnownExchange) => request(name, writeAsciiJson(json));
const part = (dice: Dice, bytes: Buffer) => bytes.subarray(0, dice.between(1, bytes.length - 1));

const heads = [
  "GET /version HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]",
  "POST /__proto__ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]",
  "POST /toString HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]",
  "POST /version?x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]",
  "POST /../version HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n[]",
  "POST /version HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]",
  "POST /version HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
  "POST /version HTTP/1.1\r\nHost: a\r\nExpect: rubbish\r\nContent-Length: 2\r\n\r\n[]",
  "POST /version HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\n[]",
  "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /version HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\n[]",
  "POST /version HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "POST /version HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
  "POST /version HTTP/2.0\r\nHost: a\r\n\r\n",
  `POST /${"v".repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `POST /version HTTP/1.1\r\nHost: a\r\n${"A: b\r\n".repeat(5000)}\r\n`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0000\u0000\u0000\u0000",
];

export const badRequests: Readonly<
  Record<string, (dice: Dice, known: KnownExchange) => BadRequest>
> = {
  "arguments with another part": (dice, { name, request: json }) => ({
    bytes: request(name, writeAsciiJson(mutatedJson(dice, json))),
  }),
  "an argument with another part": (dice, { name, request: json }) => ({
    bytes: request(
      name,
      writeAsciiJson(
        Array.isArray(json) ? json.map((one) => mutatedJson(dice, one)) : mutatedJson(dice, json),
      ),
    ),
  }),
  "a body with other bytes": (dice, { name, request: json }) => ({
    bytes: request(name, mutatedBytes(dice, writeAsciiJson(json))),
  }),
  "a request with other bytes": (dice, known) => ({
    bytes: mutatedBytes(dice, good(known).toString("latin1")),
    afterwards: "end",
  }),
  "a request with an odd head": (dice) => ({
    bytes: Buffer.from(dice.pick(heads)),
    afterwards: "end",
  }),
  "a body that is too large": (dice, { name }) => ({
    bytes: request(name, longJson(dice, bodyBytesMax * dice.between(2, 5))),
  }),
  "a body of many brackets": (dice, { name }) => ({
    bytes: request(name, longJson(dice, dice.between(1000, bodyBytesMax / 2))),
  }),
  "a cut request": (dice, known) => ({
    bytes: part(dice, good(known)),
    afterwards: dice.pick(["end", "destroy"]),
  }),
  "a request whose caller does not wait": (_, known) => ({
    bytes: good(known),
    afterwards: "destroy",
  }),
  "a request that does not end": (dice, known) => ({ bytes: part(dice, good(known)) }),
};
