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

/** To be called once the server is ready: from then on the space grows with the work, as usual. */
export const growAsUsual = (): void => setGrowth(2);
