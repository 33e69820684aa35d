/** The versions of Ganeti whose formats and protocols this cluster speaks. */

/** Clients look at it to decide what they may ask for. */
export const softwareVersion = "3.0.2";

/** `major * 1000000 + minor * 10000 + revision`. */
export const protocolVersion = 3_000_000;

/** The newest interface of OS definitions. */
export const osApiVersion = 20;

/** Of the description of an export. */
export const exportVersion = 0;

/** Which sources the program was made of. */
export const vcsVersion = `(ganeti-ts) version ${softwareVersion}`;
