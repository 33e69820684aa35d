/** Versions of Ganeti's formats and protocols that this cluster supports. */

/** Clients use it to decide which features are available. */
export const softwareVersion = "3.0.2";

/** `major * 1000000 + minor * 10000 + revision`. */
export const protocolVersion = 3_000_000;

/** The newest interface of OS definitions. */
export const osApiVersion = 20;

/** Version of the description of an export. */
export const exportVersion = 0;

/** Identification of the source code. */
export const vcsVersion = `(ganeti-ts) version ${softwareVersion}`;
