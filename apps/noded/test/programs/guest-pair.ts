// Runs two QEMU guests with real LVM, DRBD and the daemon inside, for tests of other packages. Prints how to reach them. Each
// line of input addresses one of them: {"node": 0, "shell": "lvs"} runs a command in its shell, {"node": 0, "read": "console"}
// prints the text of its console, {"node": 0, "power": "off"} and "on" switch its power.
import { createInterface } from "node:readline";
import { bootPair } from "../guest/guests.js";
import { machineFolder } from "../machine-folder.js";

// With the argument FOLDER the guests run systemd without a daemon, and share that folder of the host.
const [, , shared] = process.argv;
const folder = await machineFolder();
const guests = await bootPair(folder, shared === undefined ? undefined : { shared });
const nodes = guests.map(({ daemonPort }, at) => ({
  ...{ name: `node${at + 1}.example.com`, port: daemonPort },
  ...{ primaryIp: "127.0.0.1", secondaryIp: `192.0.2.${at + 1}` },
}));
const { server, client } = folder;
process.stdout.write(`${JSON.stringify({ nodes, server, client })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ output: await carryOut(JSON.parse(line)) })}\n`);
}
for (const guest of guests) guest.kill();
folder.remove();
process.exit(0);

interface Line {
  readonly node: number;
  readonly shell?: string;
  readonly read?: "console";
  readonly power?: "off" | "on";
}

async function carryOut({ node, shell, read, power }: Line): Promise<string> {
  const guest = guests[node];
  if (guest === undefined) throw new Error(`there is no guest ${node}`);
  if (read !== undefined) return guest.console();
  if (power === "off") guest.kill();
  if (power === "on") await guest.boot();
  if (shell === undefined) return "";
  return guest.shell(shell).catch((error: Error) => `the guest does not answer: ${error.message}`);
}
