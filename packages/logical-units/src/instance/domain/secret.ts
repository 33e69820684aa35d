/** Common secret of clusters that trust each other, and signatures made with it. */
import { type Random, randomHex } from "@ganeti-ts/protocol";
import { distributeAncillaryFiles } from "../../cluster/ancillary-files.js";
import { valueOrFail } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";

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
