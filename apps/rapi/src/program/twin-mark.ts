/** TwinMark: the file that marks the cluster of a data directory as a twin. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

/** Content of the mark. */
export const TwinMark = z.strictObject({
  /** Name of the cluster. */
  cluster: z.string(),
  /** Source of the twin: a file, or a URL without a password. */
  source: z.string(),
  /** ISO 8601, in UTC. */
  madeAt: z.string(),
});
export type TwinMark = z.infer<typeof TwinMark>;

/** The file of the mark in a data directory. */
export const twinMarkFile = (dataPath: string): string => join(dataPath, "twin.json");

/** Marks the cluster of a data directory as a twin. */
export const writeTwinMark = (dataPath: string, mark: TwinMark): void =>
  writeFileSync(twinMarkFile(dataPath), `${JSON.stringify(mark)}\n`, { mode: 0o640, flush: true });

/** Undefined if the cluster is not a twin. */
export function readTwinMark(dataPath: string): TwinMark | undefined {
  let text: string;
  try {
    text = readFileSync(twinMarkFile(dataPath), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return TwinMark.parse(JSON.parse(text));
}

/** Note for users: one line of ASCII. */
export const twinNote = ({ cluster, source, madeAt }: TwinMark): string =>
  `this is a twin of ${cluster}, made from ${source} at ${madeAt}: its nodes are simulated`.replace(
    /[^ -~]/g,
    "?",
  );

/** The source without a password. */
export function shownSource(source: string): string {
  if (!/^https?:\/\//.test(source) || !URL.canParse(source)) return source;
  const url = new URL(source);
  url.username = "";
  url.password = "";
  return url.href.replace(/\/$/, "");
}
