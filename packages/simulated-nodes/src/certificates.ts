/** Contents of a simulated certificate: the name of its key, and the end of its validity. */
export const certificate = (name: string, untilSeconds: number): string =>
  `-----BEGIN CERTIFICATE-----\n${name}\n${untilSeconds}\n-----END CERTIFICATE-----\n`;

export function partsOfCertificate(
  certPem: string,
): [name: string, untilSeconds: number] | undefined {
  const found = /^-+BEGIN CERTIFICATE-+\n(\S+)\n(\d+)\n-+END CERTIFICATE-+\n?$/.exec(certPem);
  return found?.[1] === undefined ? undefined : [found[1], Number(found[2])];
}
