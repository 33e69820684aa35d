// Both VNC handshakes, with servers that require a password or none, that refuse, or that do not speak VNC.
import { connect, createServer, type Socket } from "node:net";
import { type Duplex, PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { readBytes } from "./byte-reader.js";
import { ConsoleError } from "./consoles.js";
import { letVncClientIn, logInToVnc, vncResponse } from "./vnc.js";

/** A connection whose other end runs `serve`. */
async function aConnection(serve: (socket: Socket) => Promise<void>): Promise<Duplex> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    serve(socket).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return socket;
}

const challenge = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");

/** A server that requires a password, as QEMU implements it. */
async function passwordServer(socket: Socket): Promise<void> {
  socket.write("RFB 003.008\n");
  await readBytes(socket, 12);
  socket.write(Buffer.of(1, 2));
  await readBytes(socket, 1);
  socket.write(challenge);
  const isRight = (await readBytes(socket, 16)).equals(vncResponse(challenge, "secret"));
  if (isRight) socket.write(Buffer.of(0, 0, 0, 0));
  else socket.end(Buffer.concat([Buffer.of(0, 0, 0, 1, 0, 0, 0, 5), Buffer.from("wrong")]));
  socket.write(await readBytes(socket, 1));
}

test("the response to a challenge is DES with each byte of the password reversed", () => {
  // openssl enc -des-ecb -provider legacy -nopad -K ce a6 c6 4e a6 2e 00 00
  expect(vncResponse(challenge, "secret").toString("hex")).toBe("ee22539f33a5983ec12f9c2edbc995dd");
});

test("a correct password opens the server, and the following bytes of the client stay unread", async () => {
  const server = await aConnection(passwordServer);
  await logInToVnc(server, "secret");
  server.write(Buffer.of(7));
  expect([...(await readBytes(server, 1))]).toEqual([7]);
});

test.each([
  ["a wrong password", "other"],
  ["no password", undefined],
])("%s asks for one", async (_, password) => {
  const server = await aConnection(passwordServer);
  const refused = await logInToVnc(server, password).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConsoleError);
  expect((refused as ConsoleError).wantsPassword).toBe(true);
});

test("a server without security is opened without the password", async () => {
  const server = await aConnection(async (socket) => {
    socket.write("RFB 003.008\n");
    await readBytes(socket, 12);
    socket.write(Buffer.of(2, 1, 2));
    expect([...(await readBytes(socket, 1))]).toEqual([1]);
    socket.write(Buffer.of(0, 0, 0, 0));
  });
  await logInToVnc(server, "secret");
});

test.each([
  ["another protocol", ["SSH-2.0-OpenSSH_9\n"], "not RFB 3.8"],
  ["an old version", ["RFB 003.003\n"], "not RFB 3.8"],
  ["no kind of security", ["RFB 003.008\n", "\0\0\0\0\x04busy"], "busy"],
  ["only TLS", ["RFB 003.008\n", "\x01\x13"], "kind 19"],
])("a server with %s is refused in words", async (_, parts, words) => {
  const server = await aConnection(async (socket) => {
    for (const part of parts) {
      socket.write(Buffer.from(part, "latin1"));
      await readBytes(socket, 12);
    }
  });
  await expect(logInToVnc(server, "x")).rejects.toThrow(words);
});

test("a client is admitted without a password, if it speaks RFB 3.8", async () => {
  const ends = () => [new PassThrough(), new PassThrough()] as const;
  const [toClient, fromClient] = ends();
  const { Duplex: Both } = await import("node:stream");
  const client = Both.from({ writable: toClient, readable: fromClient });
  fromClient.write(Buffer.concat([Buffer.from("RFB 003.008\n"), Buffer.of(1)]));
  await letVncClientIn(client);
  expect((await readBytes(toClient, 12)).toString()).toBe("RFB 003.008\n");
  expect([...(await readBytes(toClient, 6))]).toEqual([1, 1, 0, 0, 0, 0]);
  const [other, fromOther] = ends();
  fromOther.write("GET / HTTP/1.1\r\n");
  await expect(letVncClientIn(Both.from({ writable: other, readable: fromOther }))).rejects.toThrow(
    "no RFB 3.8",
  );
});
