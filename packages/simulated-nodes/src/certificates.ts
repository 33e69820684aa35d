import { digest } from "./digest.js";
import type { Site } from "./site.js";

/** Digest of the node's own certificate, by which other nodes know it. */
export const ownDigest = ({ host, seed }: Pick<Site, "host" | "seed">): string =>
  host.certificateDigest ?? digest(`certificate ${seed} ${host.name} ${host.renewals ?? 0}`);

/** Digest of the certificate that the node would get next. */
export const nextDigest = ({ host, seed }: Pick<Site, "host" | "seed">): string =>
  digest(`certificate ${seed} ${host.name} ${(host.renewals ?? 0) + 1}`);

/** Contents of a simulated certificate: its key, the host whose name it shows, and the end of its validity. */
interface CertificateParts {
  readonly keyName: string;
  readonly commonName: string;
  readonly untilSeconds: number;
}

export const certificate = ({ keyName, commonName, untilSeconds }: CertificateParts): string =>
  `-----BEGIN CERTIFICATE-----\n${keyName}\n${commonName}\n${untilSeconds}\n-----END CERTIFICATE-----\n`;

export function partsOfCertificate(certPem: string): CertificateParts | undefined {
  const pattern = /^-+BEGIN CERTIFICATE-+\n(\S+)\n(\S+)\n(\d+)\n-+END CERTIFICATE-+\n?$/;
  const [, keyName, commonName, until] = pattern.exec(certPem) ?? [];
  if (keyName === undefined || commonName === undefined) return undefined;
  return { keyName, commonName, untilSeconds: Number(until) };
}

/** Reason why an end that accepts one certificate refuses a peer that shows another; undefined if it accepts it. */
export function refusalOf(accepted: string, shown: string, nowMicros: number): string | undefined {
  const [known, own] = [partsOfCertificate(accepted), partsOfCertificate(shown)];
  const isEqual = known === undefined ? accepted === shown : known.keyName === own?.keyName;
  const isOver = own !== undefined && own.untilSeconds * 1e6 < nowMicros;
  if (!isEqual || isOver) return "certificate verify failed";
  if (known?.commonName === own?.commonName) return undefined;
  return `certificate is valid but its commonName does not match hostname "${known?.commonName}"`;
}
