/** Handshake and signed messages between clusters for an instance transfer. */
import type { Json, Random } from "@ganeti-ts/protocol";
import type { Destination } from "../transfer/between-clusters.js";
import { isSigned, newSalt, signature } from "./secret.js";

const version = 0;
const greeting = (of: Json) => `${of}:Hi, I'm Ganeti`;

type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: string };

/** `[version, signature, salt]`: proves that this cluster has the secret. */
export async function handshake(secret: string, random: Random): Promise<Json> {
  const salt = newSalt(random);
  return [version, await signature(secret, greeting(version), salt), salt];
}

/** Error in the other cluster's handshake, if any. */
export async function handshakeFault(
  secret: string,
  given: readonly Json[],
): Promise<string | undefined> {
  const parts = partsOf(given, 3);
  if (!parts.ok) return parts.fault;
  const [theirs = null, digest, salt] = parts.value;
  if (!(await isSigned(secret, greeting(theirs), { digest: String(digest), salt: String(salt) }))) {
    return "Hash didn't match, clusters don't share the same domain secret";
  }
  if (theirs === version) return undefined;
  return `Clusters don't have the same remote import/export protocol (local=${version}, remote=${theirs})`;
}

const destinationText = (
  index: number,
  { host, port, magic }: { [key in keyof Destination]: Json },
) => `${index}:${host}:${port}:${magic}`;

/** `[host, port, magic, signature, salt]`. */
export async function signedDestination(
  secret: string,
  salt: string,
  index: number,
  destination: Destination,
): Promise<Json> {
  const { host, port, magic } = destination;
  return [
    host,
    port,
    magic,
    await signature(secret, destinationText(index, destination), salt),
    salt,
  ];
}

/** Address at which the other cluster waits for the disk. */
export async function checkedDestination(
  secret: string,
  index: number,
  given: Json,
): Promise<Checked<Destination>> {
  const parts = partsOf(given, 5);
  if (!parts.ok) return parts;
  const [host = null, port = null, magic = null, digest, salt] = parts.value;
  if (!host || !port || !magic) {
    return { ok: false, fault: "Missing destination host, port or magic" };
  }
  const text = destinationText(index, { host, port, magic });
  if (!(await isSigned(secret, text, { digest: String(digest), salt: String(salt) }))) {
    return { ok: false, fault: "HMAC is wrong" };
  }
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65535) {
    return { ok: false, fault: `Invalid service name '${port}'` };
  }
  return {
    ok: true,
    value: { host: String(host).toLowerCase(), port: number, magic: String(magic) },
  };
}

/** `[name, signature, salt]`: names the key made for the export. */
export async function signedKeyName(secret: string, salt: string, name: string): Promise<Json> {
  return [name, await signature(secret, name, salt), salt];
}

export async function checkedKeyName(
  secret: string,
  given: readonly Json[],
): Promise<Checked<string>> {
  const parts = partsOf(given, 3);
  if (!parts.ok) {
    return { ok: false, fault: parts.fault.replace("data:", "data for X509 key name:") };
  }
  const [name, digest, salt] = parts.value.map(String) as [string, string, string];
  const isGenuine = await isSigned(secret, name, { digest, salt });
  return isGenuine
    ? { ok: true, value: name }
    : { ok: false, fault: "HMAC for X509 key name is wrong" };
}

/** Worded like Python's errors for unpacking too few or too many values. */
function partsOf(given: Json, count: number): Checked<readonly Json[]> {
  const invalid = (what: string): Checked<never> => ({ ok: false, fault: `Invalid data: ${what}` });
  if (!Array.isArray(given)) return invalid("cannot unpack non-iterable object");
  if (given.length > count) return invalid(`too many values to unpack (expected ${count})`);
  if (given.length === count) return { ok: true, value: given };
  return invalid(`not enough values to unpack (expected ${count}, got ${given.length})`);
}
