/** Marks of a cluster that `gnt-cluster init` made of real machines: on its master, and in the files of candidates. */
import { writeFileSync } from "node:fs";

/** The marks that candidates keep with the parts that Ganeti's format has no place for. */
export const marksOfOwnCluster = { madeHere: true } as const;

/** Whether the cluster of these parts, as candidates keep them, was made by `gnt-cluster init`. */
export const wasMadeHere = (rest: unknown): boolean =>
  typeof rest === "object" && rest !== null && "madeHere" in rest && rest.madeHere === true;

/** Marks the data directory, so that machines that join or leave the cluster are prepared and released over ssh. */
export const markRealNodes = ({ realNodes }: { readonly realNodes: string }): void =>
  writeFileSync(realNodes, "nodes of this cluster are real machines\n");
