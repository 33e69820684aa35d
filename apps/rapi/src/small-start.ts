/**
 * growAsUsual: the end of a start in little memory. While modules are loaded, the space for new objects does not grow: it
 * would be 32 MiB large afterwards, and stay so in a server that has nothing to do. Import this before they are loaded.
 */
import { setFlagsFromString } from "node:v8";

/** Node 24 does not have this flag of V8. */
const hasFlag = Number(process.versions.node.split(".")[0]) < 24;

const setGrowth = (factor: number): void => {
  if (hasFlag) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
};

setGrowth(1);

/**
 * To be called once the modules are loaded: from then on the space grows with the work, as usual. A small cluster is opened
 * without growth; without it, a large one would be copied again and again while it is loaded.
 */
export const growAsUsual = (): void => setGrowth(2);
