/** Certificates exchanged between clusters, signed with their common secret. */

import { OperationError } from "@ganeti-ts/job-queue";
import { valueOrFail } from "../../unit/effects.js";
import { wrongInput } from "../../unit/refusals.js";
import type { World } from "../../unit/unit.js";
import { isSigned, signature } from "./secret.js";

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
