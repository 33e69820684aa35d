/**
 * growAsUsual: ends a start with little memory. While modules are loaded, the space for new objects does not grow:
 * otherwise it would reach 32 MiB, and an idle server would keep that size. Import this before other modules.
 */
import { setFlagsFromString } from "node:v8";

/** Node 24 does not have this flag of V8. */
const hasFlag = Number(process.versions.node.split(".")[0]) < 24;

const setGrowth = (factor: number): void => {
  if (hasFlag) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
};

setGrowth(1);

/**
 * To be called when the modules are loaded; from then on the space grows with the work, as usual. Loading a large cluster
 * without growth would copy its objects repeatedly.
 */
export const growAsUsual = (): void => setGrowth(2);
