/** Checks of files: checksums, programs, the client certificate. */
import { createHash, type X509Certificate } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { NodeContext } from "../context.js";
import { located } from "../machine/paths.js";
import { clientCertificate, digestOf } from "./crypto-calls.js";
import type { Checks } from "./verification.js";

const dayMs = 24 * 3600 * 1000;
/** Days before expiry from which a certificate is reported as a warning, and as an error. */
const [warningDays, errorDays] = [30, 7];

interface CertificateFault {
  readonly severity: "ERROR" | "WARNING" | null;
  readonly text: string;
}

export function fileChecks({ paths, clock }: Pick<NodeContext, "paths" | "clock">): Checks {
  const at = (path: string): string => located(paths, path);
  return {
    async files(wanted) {
      const files: Record<string, string> = {};
      for (const path of wanted) {
        const sum = await checksum(at(path));
        if (sum !== null) files[path] = sum;
      }
      return { files };
    },
    async userScripts(scripts) {
      const missing: string[] = [];
      for (const path of scripts) if (!(await isProgram(at(path)))) missing.push(path);
      return { missingUserScripts: missing };
    },
    oobPrograms: async (programs) => ({
      oobFaults: await Promise.all(programs.map((path) => oobFault(path, at(path)))),
    }),
    clientCertificate: async () => ({
      clientCertificate: await certificateFault(paths.data, clock.wallMicros() / 1000),
    }),
  };
}

/** SHA-1 of a regular file; null for anything else. */
async function checksum(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const hash = createHash("sha1");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Whether the daemon may execute it. */
const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Whether `path` is a file that the daemon may execute. */
export async function isProgram(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true && (await isExecutable(path));
}

/** The first of the paths that is an executable file. */
export async function firstProgram(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
}

async function oobFault(name: string, path: string): Promise<string | null> {
  const found = await stat(path).catch((error: Error) => error);
  if (found instanceof Error) return `error stating out of band helper: ${found.message}`;
  if (!found.isFile()) return `out of band helper ${name} is not a file`;
  return (await isExecutable(path)) ? null : `out of band helper ${name} is not executable`;
}

async function certificateFault(data: string, nowMs: number): Promise<CertificateFault> {
  const path = join(data, "client.pem");
  if ((await stat(path).catch(() => null)) === null) {
    const text =
      "The client certificate does not exist. Run 'gnt-cluster renew-crypto --new-node-certificates' to create client certificates for all nodes.";
    return { severity: "ERROR", text };
  }
  try {
    const certificate = await clientCertificate(data);
    return faultOf(certificate, path, nowMs) ?? { severity: null, text: digestOf(certificate) };
  } catch (error) {
    const text = `Failed to load X509 certificate ${path}: ${(error as Error).message}`;
    return { severity: "ERROR", text };
  }
}

/** Fault of a certificate with its severity. Exported for tests of the limits. */
export function faultOf(
  certificate: Pick<X509Certificate, "validFrom" | "validTo" | "issuer" | "subject">,
  path: string,
  nowMs: number,
): CertificateFault | null {
  const { validFrom, validTo, issuer, subject } = certificate;
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const verifying = `While verifying ${path}: Certificate`;
  const period = `(valid from ${validFrom} to ${validTo})`;
  if (to < nowMs) return { severity: "ERROR", text: `${verifying} is expired ${period}` };
  if (from > nowMs) return { severity: "WARNING", text: `${verifying} not yet valid ${period}` };
  const days = Math.floor((to - nowMs) / dayMs);
  if (days <= warningDays) {
    const severity = days <= errorDays ? "ERROR" : "WARNING";
    return { severity, text: `${verifying} expires in about ${days} days` };
  }
  if (issuer !== subject) return null;
  const text = `The certificate '${path}' is self-signed. Please run 'gnt-cluster renew-crypto --new-node-certificates' to get a properly signed certificate.`;
  return { severity: "WARNING", text };
}
