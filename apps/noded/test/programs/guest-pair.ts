// Two QEMU guests with real LVM and DRBD and the daemon inside, for tests of other packages. Prints how to reach them; each
// line of input runs in a shell of one: {"node": 0, "shell": "lvs"}.
import { createInterface } from "node:readline";
import { bootPair } from "../guest/guests.js";
import { machineFolder } from "../machine-folder.js";

const folder = await machineFolder();
const guests = await bootPair(folder);
const nodes = guests.map(({ daemonPort }, at) => ({
  ...{ name: `node${at + 1}.example.com`, port: daemonPort },
  ...{ primaryIp: "127.0.0.1", secondaryIp: `192.0.2.${at + 1}` },
}));
const { server, client } = folder;
process.stdout.write(`${JSON.stringify({ nodes, server, client })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { node, shell } = JSON.parse(line) as { node: number; shell: string };
  const output = shell === "console" ? guests[node]?.console() : await guests[node]?.shell(shell);
  process.stdout.write(`${JSON.stringify({ output })}\n`);
}
for (const guest of guests) guest.kill();
folder.remove();
process.exit(0);
