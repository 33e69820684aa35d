/** Trust between clusters for the transfer of an instance: their common secret, certificates and messages signed with it. */

import { OperationError } from "@ganeti-ts/job-queue";
import { type Json, type Random, randomHex } from "@ganeti-ts/protocol";
import { distributeAncillaryFiles } from "../../cluster/ancillary-files.js";
import { valueOrFail } from "../../unit/effects.js";
import { wrongInput } from "../../unit/refusals.js";
import type { World } from "../../unit/unit.js";
import type { Destination } from "../transfer/between-clusters.js";

/**
 * The secret stored by the master; it is generated and distributed to all nodes on first use.
 * @throws ExecError
 */
export async function domainSecret(world: World): Promise<string> {
  const answer = await world.masterHost.domainSecret();
  const { secret, isNew } = valueOrFail(answer, "Cannot read the cluster domain secret");
  if (isNew) await distributeAncillaryFiles(world);
  return secret.trim();
}

export const newSalt = (random: Random): string => randomHex(random, 8);

/** HMAC-SHA1 of salt and text, as hexadecimal digits. */
export async function signature(secret: string, text: string, salt: string): Promise<string> {
  const bytes = (of: string) => new TextEncoder().encode(of);
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", bytes(secret), algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, bytes(salt + text));
  return Array.from(new Uint8Array(signed), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const isSigned = async (
  secret: string,
  text: string,
  { digest, salt }: { readonly digest: string; readonly salt: string },
): Promise<boolean> => (await signature(secret, text, salt)) === digest.toLowerCase();

/** Validity of keys made for one transfer: a day. */
export const keyValiditySeconds = 24 * 60 * 60;

const header = "X-Ganeti-Signature";
const signatureLine = new RegExp(`^${header}:\\s*([a-z0-9]+)/([a-z0-9]+)$`, "i");

/** The certificate preceded by its signature. */
export const signedCertificate = async (
  secret: string,
  certPem: string,
  salt: string,
): Promise<string> => `${header}: ${salt}/${await signature(secret, certPem, salt)}\n\n${certPem}`;

/**
 * The bare certificate; `whose` is `source` or `destination`. @throws OperationError, PrereqError
 */
export async function checkedCertificate(
  world: World,
  secret: string,
  signed: string,
  whose: "source" | "destination",
): Promise<string> {
  const { digest, salt, certPem } = parts(signed);
  const looked = await world.masterHost.certificateFault(certPem);
  const fault = valueOrFail(looked, `Cannot check the ${whose} X509 CA`);
  if (fault?.kind === "unreadable") wrongInput(`Unable to load ${whose} X509 CA (${fault.text})`);
  if (!(await isSigned(secret, certPem, { digest, salt }))) {
    throw new OperationError("GenericError", ["X509 certificate signature is invalid"]);
  }
  if (fault === null) return certPem;
  wrongInput(`Invalid ${whose} X509 CA (${fault.text})`);
}

function parts(signed: string) {
  const lines = signed.split("\n");
  const start = lines.findIndex((line) => line.startsWith("---"));
  const before = start < 0 ? lines : lines.slice(0, start);
  for (const line of before) {
    const found = signatureLine.exec(line.trim());
    const [, salt, digest] = found ?? [];
    if (salt === undefined || digest === undefined) continue;
    return { salt, digest, certPem: start < 0 ? "" : lines.slice(start).join("\n") };
  }
  throw new OperationError("GenericError", ["X509 certificate signature is missing"]);
}

/** Handshake and signed messages between clusters for an instance transfer. */
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
