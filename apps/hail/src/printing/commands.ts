/** Output of the commands of a solution, on stdout or as a script (`-C`). */
import { onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import { print } from "../program.js";
import type { Settings } from "../settings.js";

/** Head of a script of commands, which can be stopped between two jobs. */
const prologue = `#!/bin/sh

# Auto-generated script for executing cluster rebalancing

# To stop, touch the file /tmp/stop-htools

set -e

check() {
  if [ -f /tmp/stop-htools ]; then
    echo 'Stop requested, exiting'
    exit 0
  fi
}

`;

/**
 * Writes `commands` to the file named on the command line, or prints them under `title` without the checks of
 * a script. Source: Ganeti, HTools/CLI.hs, `maybeSaveCommands`.
 */
export function tellCommands(
  title: string,
  commands: string,
  { printCommands }: Pick<Settings, "printCommands">,
  ports: Ports,
): void {
  if (printCommands === undefined) return;
  if (printCommands !== "-") {
    onFile(printCommands, () => ports.writeFile(printCommands, `${prologue}${commands}`));
    print(`The commands have been written to file '${printCommands}'\n`, ports);
    return;
  }
  const lines = commands.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const shown = lines.filter((line) => line !== "  check").map((line) => `  ${line}\n`);
  print(`\n${title}\n${shown.join("")}`, ports);
}
