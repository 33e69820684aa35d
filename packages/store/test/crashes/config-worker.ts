// A process that adds instances with their disks until it is killed, and says which ones are kept.

import { allocatePort, type ConfigChange, Configuration, newUuid } from "@ganeti-ts/config";
import { secureRandom } from "@ganeti-ts/protocol";
import { openPostgresConfigStore } from "../../src/postgres/config-store.js";
import { openSqliteConfigStore } from "../../src/sqlite/config-store.js";

const [prefix = "", place = ""] = process.argv.slice(2);
const store = place.startsWith("{")
  ? await openPostgresConfigStore(JSON.parse(place) as object)
  : openSqliteConfigStore(place);
const clock = { wallMicros: () => Date.now() * 1000 };
const configuration = await Configuration.open(store, { clock, random: secureRandom });

async function add(name: string): Promise<void> {
  await configuration.change((now) => {
    const node = now.expectNode("node1").uuid;
    const { port, cluster } = allocatePort(now.cluster);
    const [uuid, diskUuid] = [newUuid(now, secureRandom), newUuid(now, secureRandom)];
    const disk = {
      uuid: diskUuid,
      dev_type: "plain",
      logical_id: ["xenvg", diskUuid],
      size: 1024,
      nodes: [node],
      children: [],
      iv_name: "disk/0",
    };
    const instance = {
      uuid,
      name,
      primary_node: node,
      os: "debian",
      hypervisor: "kvm",
      admin_state: "down",
      hvparams: {},
      beparams: {},
      osparams: {},
      osparams_private: {},
      disks_active: false,
      admin_state_source: "admin",
      nics: [],
      tags: [],
      disks: [diskUuid],
      network_port: port,
    };
    const changes = [
      { kind: "put", type: "instance", object: instance },
      { kind: "put", type: "disk", object: disk },
      { kind: "cluster", object: cluster },
    ] as ConfigChange[];
    return { changes, value: port };
  });
  process.stdout.write(`${name}\n`);
}

let count = 0;
const adding = async () => {
  for (;;) await add(`${prefix}-${count++}`);
};
await Promise.all([adding(), adding(), adding()]);
