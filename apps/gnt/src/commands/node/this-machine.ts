/** Comparison of a node's name with that of the machine this program runs on. */
import { hostname } from "node:os";

export const isThisMachine = (node: string): boolean => {
  const own = hostname();
  return node === own || node.startsWith(`${own}.`);
};
