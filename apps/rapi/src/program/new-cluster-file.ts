/** Settings of a new cluster from a JSON file. */
import { readFileSync } from "node:fs";
import { NewClusterError, NewClusterSettings } from "@ganeti-ts/cluster";
import { faultText } from "./schema-fault.js";

/** @throws NewClusterError for invalid JSON or settings */
export function readNewClusterFile(path: string | undefined): NewClusterSettings {
  if (path === undefined) return {};
  const text = readFileSync(path === "-" ? 0 : path, "utf8");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new NewClusterError(`${path}: ${(error as Error).message}`);
  }
  const read = NewClusterSettings.safeParse(json);
  if (read.success) return read.data;
  const faults = read.error.issues.map((issue) => `${path}: ${faultText(issue, "settings")}`);
  throw new NewClusterError(faults.join("\n"));
}
