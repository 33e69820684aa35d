/** VNC handshakes with server and client (RFB 3.8, RFC 6143), which keep the password on the server. */
import { createCipheriv } from "node:crypto";
import type { Duplex } from "node:stream";
import { readBytes } from "./byte-reader.js";
import { ConsoleError } from "./consoles.js";

const version = Buffer.from("RFB 003.008\n");
const [noSecurity, vncPassword] = [1, 2];

/** Maximum length (bytes) of a refusal's text. */
const refusalMax = 1000;

/**
 * Logs in to a VNC server, which expects the client's `ClientInit` next.
 * @throws ConsoleError if it refuses, or wants something other than a password
 */
export async function logInToVnc(server: Duplex, password: string | undefined): Promise<void> {
  const banner = (await readBytes(server, 12)).toString("latin1");
  const [, minor] = /^RFB 003\.(\d{3})\n$/.exec(banner) ?? [];
  if (minor === undefined || Number(minor) < 8) {
    throw new ConsoleError(`The VNC server speaks ${JSON.stringify(banner.trim())}, not RFB 3.8`);
  }
  server.write(version);
  const [count = 0] = await readBytes(server, 1);
  if (count === 0) throw new ConsoleError(`The VNC server refuses: ${await refusalOf(server)}`);
  const kinds = [...(await readBytes(server, count))];
  if (kinds.includes(noSecurity)) server.write(Buffer.of(noSecurity));
  else if (!kinds.includes(vncPassword)) {
    throw new ConsoleError(`The VNC server wants security of kind ${kinds.join(", ")}`);
  } else if (password === undefined) {
    throw new ConsoleError("The VNC server wants a password", true);
  } else {
    server.write(Buffer.of(vncPassword));
    server.write(vncResponse(await readBytes(server, 16), password));
  }
  const result = (await readBytes(server, 4)).readUInt32BE();
  if (result === 0) return;
  const refusal = await refusalOf(server);
  throw new ConsoleError(`The VNC server refuses: ${refusal}`, !kinds.includes(noSecurity));
}

async function refusalOf(server: Duplex): Promise<string> {
  try {
    const length = (await readBytes(server, 4)).readUInt32BE();
    return (await readBytes(server, Math.min(length, refusalMax))).toString("utf8");
  } catch {
    return "it does not say why";
  }
}

/** The challenge encrypted by DES, whose key is the password with the bits of each byte reversed. */
export function vncResponse(challenge: Uint8Array, password: string): Buffer {
  const key = Buffer.alloc(8);
  Buffer.from(password, "utf8").copy(key, 0, 0, 8);
  const reversed = key.map(reversedBits);
  // Triple DES with one key three times is DES, which OpenSSL 3 has only among its legacy ciphers.
  const cipher = createCipheriv("des-ede3", Buffer.concat([reversed, reversed, reversed]), null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

function reversedBits(byte: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit);
  return reversed;
}

/** Admits a client without a password; it sends `ClientInit` next. @throws Error if it does not speak RFB 3.8 */
export async function letVncClientIn(client: Duplex): Promise<void> {
  client.write(version);
  const answer = (await readBytes(client, 12)).toString("latin1");
  if (answer !== version.toString("latin1")) throw new ConsoleError("The client speaks no RFB 3.8");
  client.write(Buffer.of(1, noSecurity));
  const [kind] = await readBytes(client, 1);
  if (kind !== noSecurity) throw new ConsoleError("The client wants another kind of security");
  client.write(Buffer.alloc(4));
}
