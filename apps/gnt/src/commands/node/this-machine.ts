/** Whether a node is the machine that this program runs on. */
import { hostname } from "node:os";

export const isThisMachine = (node: string): boolean => {
  const own = hostname();
  return node === own || node.startsWith(`${own}.`);
};
