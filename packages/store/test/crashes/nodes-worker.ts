// A process that makes volumes on simulated nodes until it is killed, and says which ones are kept.

import { aPlainDisk } from "@ganeti-ts/node-calls/conformance";
import { openPostgresNodeStates } from "../../src/postgres/node-states.js";
import { openSqliteNodeStates } from "../../src/sqlite/node-states.js";
import { creationOf, nodesOn } from "../conformance/nodes-on.js";

const [prefix = "", place = ""] = process.argv.slice(2);
const states = place.startsWith("{")
  ? await openPostgresNodeStates(JSON.parse(place) as object)
  : openSqliteNodeStates(place, { shared: true });
const under = await nodesOn(states);
for (let count = 0; ; count++) {
  const name = `${prefix}-${count}`;
  await under.ask("A", "blockdev_create", creationOf(aPlainDisk(name, 1)));
  process.stdout.write(`${name}\n`);
  // Others have their turn.
  await new Promise((resolve) => setImmediate(resolve));
}
