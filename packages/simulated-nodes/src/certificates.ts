import { digest } from "./digest.js";
import type { Site } from "./site.js";

/** Digest of the node's own certificate, by which other nodes know it. */
export const ownDigest = ({ host, seed }: Pick<Site, "host" | "seed">): string =>
  host.certificateDigest ?? digest(`certificate ${seed} ${host.name} ${host.renewals ?? 0}`);

/** Digest of the certificate that the node would get next. */
export const nextDigest = ({ host, seed }: Pick<Site, "host" | "seed">): string =>
  digest(`certificate ${seed} ${host.name} ${(host.renewals ?? 0) + 1}`);

/** Contents of a simulated certificate: the name of its key, and the end of its validity. */
export const certificate = (name: string, untilSeconds: number): string =>
  `-----BEGIN CERTIFICATE-----\n${name}\n${untilSeconds}\n-----END CERTIFICATE-----\n`;

export function partsOfCertificate(
  certPem: string,
): [name: string, untilSeconds: number] | undefined {
  const found = /^-+BEGIN CERTIFICATE-+\n(\S+)\n(\d+)\n-+END CERTIFICATE-+\n?$/.exec(certPem);
  return found?.[1] === undefined ? undefined : [found[1], Number(found[2])];
}
