// Reproducible clusters of any size in a data directory: configuration, and nodes on which all instances run.
import { join } from "node:path";
import { createConfiguration, initialConfiguration } from "@ganeti-ts/config";
import { systemClock } from "@ganeti-ts/protocol";
import { SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { openSqliteConfigStore, openSqliteNodeStates } from "@ganeti-ts/store/sqlite";

const host = { memoryTotalMib: 131_072, volumeGroups: { xenvg: { "/dev/sda3": 4_000_000 } } };

const uuid = (/** @type {number} */ kind, /** @type {number} */ at) =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, "0")}`;

/**
 * Instances with a mirrored disk and a network interface each, all of them up.
 * @param {string} folder @param {import("./measured.js").Size} size
 * @param {string} [connection] of a database; files in the folder if absent
 */
export async function makeCluster(
  folder,
  { nodeCount, instanceCount, hypervisor = "kvm", cpuTotal = 8 },
  connection,
) {
  let seed = 1;
  const fraction = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const content = initialConfiguration({
    clusterName: "bench.example.com",
    nodes: Array.from({ length: nodeCount }, (_, at) => ({
      name: `node${at + 1}.example.com`,
      primary_ip: `10.0.${at >> 8}.${at & 255}`,
      ndparams: { spindle_count: 64 },
    })),
    hypervisors: [hypervisor],
    cluster: { default_iallocator: "hail", highest_used_port: 11_000 + instanceCount },
    random: { fraction },
    now: 1_700_000_000,
  });
  const stamps = { serial_no: 1, ctime: 1_700_000_000.25, mtime: 1_700_000_000.25 };
  const nodeAt = (/** @type {number} */ at) => content.nodes[at % nodeCount];
  const minors = new Map();
  const minorOn = (/** @type {string} */ node) => {
    const minor = minors.get(node) ?? 0;
    minors.set(node, minor + 1);
    return minor;
  };
  /** @type {Map<string, Record<string, unknown>>} */
  const running = new Map();
  const disks = [];
  const instances = [];
  for (let at = 0; at < instanceCount; at++) {
    const [primary, secondary] = [nodeAt(at), nodeAt(at + 1 + (at % (nodeCount - 1)))];
    if (primary === undefined || secondary === undefined) throw new Error("there are nodes");
    const nodes = [primary.uuid, secondary.uuid];
    const child = (/** @type {string} */ part, /** @type {number} */ size) => ({
      uuid: uuid(part === "data" ? 3 : 4, at),
      dev_type: "plain",
      nodes,
      size,
      logical_id: ["xenvg", `${at}.disk0_${part}`],
      children: [],
      params: {},
    });
    const disk = {
      uuid: uuid(2, at),
      dev_type: "drbd",
      nodes,
      size: 10_240,
      iv_name: "disk/0",
      mode: "rw",
      params: {},
      children: [child("data", 10_240), child("meta", 128)],
      logical_id: [...nodes, 11_001 + at, ...nodes.map(minorOn), `secret${at}`],
      ...stamps,
    };
    const name = `instance${at + 1}.example.com`;
    const mac = `aa:00:00:${uuid(0, at).slice(-6).match(/../g)?.join(":")}`;
    disks.push(disk);
    instances.push({
      uuid: uuid(1, at),
      name,
      primary_node: primary.uuid,
      os: "noop+default",
      hypervisor,
      hvparams: {},
      osparams: {},
      osparams_private: {},
      beparams: { maxmem: 512, minmem: 512, vcpus: 1 },
      disks_active: true,
      admin_state: "up",
      admin_state_source: "admin",
      disks: [disk.uuid],
      tags: [],
      nics: [{ uuid: uuid(5, at), mac, nicparams: {} }],
      ...stamps,
    });
    const onNode = running.get(primary.name) ?? {};
    const state = { memoryMib: 512, vcpus: 1, state: "running", startedMicros: 1.7e15 };
    running.set(primary.name, { ...onNode, [name]: { hypervisor, ...state } });
  }
  const stores = await openStores(folder, connection);
  await createConfiguration(stores.config, /** @type {never} */ ({ ...content, instances, disks }));
  await stores.config.close();
  const hosts = content.nodes.map(({ name }) => ({ name, cpuTotal, ...host }));
  await makeNodes(stores.states, content.nodes, hosts, running);
}

/** @param {string} folder @param {string | undefined} connection */
async function openStores(folder, connection) {
  if (connection === undefined) {
    return {
      config: openSqliteConfigStore(join(folder, "cluster.db")),
      states: openSqliteNodeStates(join(folder, "nodes", "nodes.db")),
    };
  }
  const { openPostgresConfigStore, openPostgresNodeStates } = await import(
    "@ganeti-ts/store/postgres"
  );
  return {
    config: await openPostgresConfigStore({ connection }),
    states: await openPostgresNodeStates({ connection }),
  };
}

/**
 * Boots the machines, and records the instances as running there.
 * @param {Awaited<ReturnType<typeof openStores>>["states"]} states
 * @param {readonly import("@ganeti-ts/protocol").NodeObject[]} nodes
 * @param {readonly import("@ganeti-ts/simulated-nodes").HostSpecification[]} hosts
 * @param {Map<string, Record<string, unknown>>} running
 */
async function makeNodes(states, nodes, hosts, running) {
  const simulated = await SimulatedNodes.open({
    clock: systemClock,
    hosts,
    states,
  });
  const changed = new Map();
  for (const { uuid: id, name, primary_ip: ip } of nodes) {
    await simulated.introduce({ uuid: id, name, primaryIp: ip, secondaryIp: ip });
    const state = { ...simulated.stateOf(id), instances: running.get(name) ?? {} };
    changed.set(name, JSON.stringify(state));
  }
  const save = () => states.save(changed);
  // Nodes in a database belong to several processes.
  await (states.alone ? states.alone(() => {}, save) : save());
  await states.close();
}
