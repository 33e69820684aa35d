/**
 * Operations of a machine without its node daemon: fencing, and actions of the server that runs on
 * it or logs in by ssh.
 */
import {
  type CertificateFault,
  dataDirectory,
  type MasterFile,
  type NodeAnswer,
} from "@ganeti-ts/node-calls";
import { nextDigest, ownDigest, partsOfCertificate } from "./certificates.js";
import { digest } from "./digest.js";
import { type ShellAnswer, shellAnswer } from "./shell.js";
import type { Site } from "./site.js";

/** Number of leases that a node remembers; deaths of workers are rare. */
const fencedMax = 1000;

/** Attributes of all files of simulated nodes. */
const attributes = { mode: 0o100600, owner: "root", group: "root", accessedAt: 0, modifiedAt: 0 };

/** Operations by the names used for fault injection. */
export const hostOperations = {
  fence({ host }: Site, leases: readonly string[]): void {
    host.fenced = [...new Set([...host.fenced, ...leases])].slice(-fencedMax);
  },
  read_files: ({ host }: Site, paths: readonly string[]): Record<string, MasterFile> =>
    Object.fromEntries(
      paths.flatMap((path) => {
        const content = host.files[path];
        return content === undefined ? [] : [[path, { content, ...attributes }]];
      }),
    ),
  domain_secret({ host, seed }: Site): { secret: string; isNew: boolean } {
    const path = `${dataDirectory}/cluster-domain-secret`;
    const known = host.files[path];
    const secret = known ?? `${digest(`domain ${seed} ${host.name}`)}\n`;
    host.files[path] = secret;
    return { secret, isNew: known === undefined };
  },
  certificate_fault({ nowMicros }: Site, certPem: string): CertificateFault | null {
    const { untilSeconds } = partsOfCertificate(certPem) ?? {};
    if (untilSeconds === undefined) return { kind: "unreadable", text: "no certificate" };
    if (untilSeconds * 1e6 > nowMicros) return null;
    const until = new Date(untilSeconds * 1000).toISOString().slice(0, 19).replace("T", " ");
    return { kind: "invalid", text: `Certificate is expired (valid until ${until})` };
  },
  next_certificate: (site: Site): { digest: string } => ({ digest: nextDigest(site) }),
  /** Nodes here do not look at the certificates of their callers. */
  try_certificate: (_: Site): void => {},
  renew_certificate({ host }: Site): void {
    host.renewals = (host.renewals ?? 0) + 1;
    delete host.certificateDigest;
  },
  use_certificate(site: Site, digest: string): void {
    if (ownDigest(site) !== digest) hostOperations.renew_certificate(site);
  },
  run_command: ({ host }: Site, command: string): ShellAnswer => shellAnswer(host, command),
  copy_file({ host }: Site, { path, content }: { path: string; content: string }): void {
    host.files[path] = content;
  },
} satisfies Record<string, (site: Site, args: never) => unknown>;

type HostOperations = typeof hostOperations;
export type HostOperationName = keyof HostOperations;

type Rest<Name extends HostOperationName> =
  Parameters<HostOperations[Name]> extends [Site, ...infer R] ? R : never;
type Result<T> = T extends void ? null : T;

/** Carries an operation out on the machine of a node. */
export type OnHost = <Name extends HostOperationName>(
  node: string,
  name: Name,
  ...args: Rest<Name>
) => Promise<NodeAnswer<Result<ReturnType<HostOperations[Name]>>>>;

/** Operations that change nothing. */
export const lookingOnHost: ReadonlySet<HostOperationName> = new Set<HostOperationName>([
  "read_files",
  "certificate_fault",
  "run_command",
  "next_certificate",
  "try_certificate",
]);
