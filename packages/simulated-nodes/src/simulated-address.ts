/**
 * Address of the nth simulated node, from the documentation (RFC 5737) and benchmarking (RFC 2544)
 * ranges.
 */
export const simulatedAddress = (n: number): string =>
  n < 255 ? `192.0.2.${n}` : `198.18.${n >> 8}.${n & 255}`;
