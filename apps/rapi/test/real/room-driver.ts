// Runs inside namespaces of its own: makes the machines of a test, and runs the scripts that it is sent, one per line.
import { createInterface } from "node:readline";
import { openRoom, type RoomOptions } from "../../src/demo/real/machines.js";

const room = await openRoom(JSON.parse(process.argv[2] ?? "") as RoomOptions);
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { machine, script } = JSON.parse(line) as { machine: string; script: string };
  const ended = await room.machines.get(machine)?.run(script);
  process.stdout.write(`${JSON.stringify(ended)}\n`);
}
// The processes that hold the machines would keep this one alive.
process.exit(0);
