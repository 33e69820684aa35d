/** servesQueries: decides from the node's role whether it answers configuration queries. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lastRead, linesIn } from "../host/last-read.js";

export const configFile = "config.data";
export const keyFile = "hmac.key";

/** Whether the node answers: it is a master candidate, or the master, and has a configuration and the key. */
export function servesQueries(data: string, nodeName: string): () => boolean {
  const namesIn = (key: string) => lastRead(join(data, `ssconf_${key}`), linesIn);
  const [candidates, master] = [namesIn("master_candidates"), namesIn("master_node")];
  return () =>
    [candidates, master].some((names) => names()?.includes(nodeName)) &&
    [configFile, keyFile].every((name) => existsSync(join(data, name)));
}
