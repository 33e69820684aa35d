/** Saves a state of the cluster in a file (`-S`), and prints a message about it. */
import { onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";

/**
 * Writes `text` to the file named on the command line with `suffix` appended, if a name was given.
 *
 * @param what description of the state, e.g. `before balancing`
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
