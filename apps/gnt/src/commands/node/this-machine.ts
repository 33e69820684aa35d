/** Comparison of a node's name with that of the machine, or virtual node, that this program runs on. */
import { hostname } from "node:os";

export const isThisMachine = (node: string): boolean => {
  const own = process.env.GANETI_HOSTNAME || hostname();
  return node === own || node.startsWith(`${own}.`);
};
