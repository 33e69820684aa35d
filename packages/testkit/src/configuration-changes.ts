/** someChanges: changes of a small cluster that reach what other objects show. */
import type { ConfigChange, ObjectsByType, ObjectType, Snapshot } from "@ganeti-ts/config";

/** Changes of a snapshot by a number: one object of each kind in something that others show, too. */
export const someChanges: readonly ((now: Snapshot, salt: number) => ConfigChange[])[] = [
  (now, salt) => each(now, "node", (node) => ({ ...node, name: `n${salt}-${node.name}` })),
  (now, salt) =>
    [...now.nodes()].slice(salt % now.nodeCount, (salt % now.nodeCount) + 1).map((node) => ({
      kind: "put",
      type: "node",
      object: { ...node, name: `some${salt}-${node.name}` },
    })),
  (now, salt) => each(now, "node", (node) => ({ ...node, ndparams: { ssh_port: salt } })),
  (now, salt) => each(now, "group", (group) => ({ ...group, name: `${group.name}${salt}` })),
  (now, salt) => each(now, "group", (group) => ({ ...group, ndparams: { ssh_port: salt } })),
  (now, salt) =>
    each(now, "group", (group) => ({
      ...group,
      networks: Object.fromEntries(
        Object.keys(group.networks).map((uuid) => [
          uuid,
          { mode: "routed", link: `t${salt}`, vlan: "" },
        ]),
      ),
    })),
  (now, salt) => each(now, "disk", (disk) => ({ ...disk, size: salt }) as typeof disk),
  (now, salt) => each(now, "instance", (one) => ({ ...one, tags: [String(salt)] }) as typeof one),
  (now, salt) => each(now, "network", (one) => ({ ...one, name: `net${salt}` })),
  (now, salt) => [
    {
      kind: "cluster",
      object: { ...now.cluster, ndparams: { ...now.cluster.ndparams, ssh_port: salt } },
    },
  ],
  ({ cluster }, salt) => [
    {
      kind: "cluster",
      object: { ...cluster, beparams: { default: { ...cluster.beparams.default, vcpus: salt } } },
    },
  ],
  (now, salt) => [
    {
      kind: "cluster",
      object: {
        ...now.cluster,
        master_node: [...now.nodes()][salt % now.nodeCount]?.uuid ?? now.cluster.master_node,
      },
    },
  ],
  (now) => {
    const instance = [...now.instances()].find(({ name }) => name !== undefined);
    return instance ? [{ kind: "remove", type: "instance", uuid: instance.uuid }] : [];
  },
  (now) => each(now, "node", (node) => ({ ...node, offline: !node.offline })),
  (now, salt) => each(now, "instance", (one) => ({ ...one, name: `inst${salt}.example.com` })),
  (now, salt) =>
    each(now, "instance", (one) => ({
      ...one,
      disks: [],
      uuid: `${one.uuid.slice(0, -2)}${salt + 100}`.slice(0, 36),
    })),
  (now, job) => {
    const [claim] = now.claims();
    if (claim?.kind === "creation") {
      const { uuid, instance: object } = claim;
      return [
        { kind: "remove", type: "claim", uuid },
        { kind: "put", type: "instance", object },
      ];
    }
    const [instance] = now.instances();
    if (instance === undefined) return [];
    const { uuid } = instance;
    const object = { kind: "creation", uuid, job, instance, disks: [] } as never;
    return [
      { kind: "remove", type: "instance", uuid },
      { kind: "put", type: "claim", object },
    ];
  },
  ({ cluster }, salt) => [
    {
      kind: "cluster",
      object: { ...cluster, highest_used_port: 12_000 + salt, tags: [String(salt)] },
    },
  ],
  (now, salt) => each(now, "node", (node) => ({ ...node, group: someOf(now, "group", salt) })),
  (now, salt) =>
    each(now, "instance", (one) => ({ ...one, primary_node: someOf(now, "node", salt) })),
  ({ cluster }) => [
    {
      kind: "cluster",
      object: { ...cluster, enabled_user_shutdown: !cluster.enabled_user_shutdown },
    },
  ],
];

function each<T extends ObjectType>(
  now: Snapshot,
  type: T,
  changed: (object: ObjectsByType[T]) => unknown,
): ConfigChange[] {
  const [first] = now.all(type);
  return first === undefined
    ? []
    : [{ kind: "put", type, object: changed(first) } as unknown as ConfigChange];
}

const someOf = (now: Snapshot, type: ObjectType, salt: number): string | undefined =>
  [...now.all(type)][salt % now.count(type)]?.uuid;
