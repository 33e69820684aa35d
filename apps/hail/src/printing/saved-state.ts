/** Keeps a state of the cluster in a file (`-S`), and says so. */
import { onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";

/**
 * Writes `text` to the file named on the command line with `suffix` behind it, if one is.
 *
 * @param what which state it is: `before balancing`
 */
export function saveState(
  suffix: string,
  what: string,
  text: string,
  { save }: Settings,
  ports: Ports,
): void {
  if (save === undefined) return;
  const path = `${save}.${suffix}`;
  onFile(path, () => ports.writeFile(path, text));
  ports.stderr(`The cluster state ${what} has been written to file '${path}'\n`);
}
