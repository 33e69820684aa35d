/** `major * 1000000 + minor * 10000` of Ganeti 3.0. */
export const protocolVersion = 3_000_000;
