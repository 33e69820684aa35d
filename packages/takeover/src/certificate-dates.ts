/** certificateFindings: expired certificates of a cluster, and those that expire soon. */

import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { GanetiSite } from "@ganeti-ts/machines";
import { absent } from "./local-files.js";

/** Time before the end of a certificate (ms) from which it is reported, as in Ganeti's `verify`. */
const soonMs = 30 * 86_400_000;

/**
 * | file | effect of its expiry |
 * | --- | --- |
 * | `server.pem` | this server calls no node that shows it |
 * | `client.pem` | nodes accept it nevertheless: they know it by its digest |
 * | `rapi.pem` | clients that verify it do not connect |
 */
const files = ["server.pem", "client.pem", "rapi.pem"] as const;
type CertificateFile = (typeof files)[number];

const remedies: Readonly<Record<CertificateFile, string>> = {
  "server.pem": "gnt-cluster renew-crypto --new-cluster-certificate",
  "client.pem": "gnt-cluster renew-crypto --new-node-certificates",
  "rapi.pem": "gnt-cluster renew-crypto --new-rapi-certificate",
};

export interface CertificateFindings {
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** Certificates of this node. Files that are missing or unreadable are reported elsewhere. */
export async function certificateFindings(
  { data }: Pick<GanetiSite, "data">,
  nowMs: number,
): Promise<CertificateFindings> {
  const refusals: string[] = [];
  const notes: string[] = [];
  for (const file of files) {
    const end = await endOf(join(data, file));
    if (end === undefined || end - nowMs > soonMs) continue;
    const day = new Date(end).toISOString().slice(0, 10);
    const remedy = `renew it with Ganeti first (${remedies[file]})`;
    if (end > nowMs) notes.push(`${file} expires on ${day}: ${remedy}`);
    else if (file === "server.pem") refusals.push(`${file} has expired on ${day}: ${remedy}`);
    else notes.push(`${file} has expired on ${day}: ${remedy}`);
  }
  return { refusals, notes };
}

/** End of validity, in ms since the epoch; undefined for a missing or unreadable certificate. */
async function endOf(path: string): Promise<number | undefined> {
  const pem = await readFile(path, "utf8").catch(absent);
  if (pem === undefined) return undefined;
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
