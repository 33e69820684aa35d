/** Query fields of an instance. */
import {
  diskTemplate,
  filledBeparams,
  filledHvparams,
  filledOsparams,
  globalHvparams,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { commonFields } from "./common-fields.js";
import { type Field, field, optionalField } from "./field.js";
import { diskFields } from "./instance-disk-fields.js";
import { liveInstanceFields } from "./instance-live-fields.js";
import { nicFields } from "./instance-nic-fields.js";
import { backendFields, hypervisorFields } from "./parameter-fields.js";

type InstanceField = Field<InstanceObject>;

/** The name of an instance, or its UUID if it has none. */
export const instanceLabel = ({ name, uuid }: InstanceObject): string => name ?? uuid;

const plainFields: readonly InstanceField[] = [
  optionalField(
    ["admin_state", "InstanceState", "text", "Desired state of instance"],
    "noData",
    ({ admin_state }) => admin_state,
  ),
  optionalField(
    [
      "admin_state_source",
      "InstanceStateSource",
      "text",
      "Who last changed the desired state of the instance",
    ],
    "noData",
    ({ admin_state_source }) => admin_state_source,
  ),
  optionalField(
    ["admin_up", "Autostart", "bool", "Desired state of instance"],
    "noData",
    ({ admin_state }) => (admin_state ? admin_state === "up" : undefined),
  ),
  optionalField(
    ["disks_active", "DisksActive", "bool", "Desired state of instance disks"],
    "noData",
    ({ disks_active }) => disks_active,
  ),
  field(["name", "Instance", "text", "Instance name"], instanceLabel, "hostname"),
  optionalField(
    ["hypervisor", "Hypervisor", "text", "Hypervisor name"],
    "unavailable",
    ({ hypervisor }) => hypervisor,
  ),
  optionalField(
    [
      "network_port",
      "Network_port",
      "other",
      "Instance network port if available (e.g. for VNC console)",
    ],
    "unavailable",
    ({ network_port }) => network_port,
  ),
  optionalField(["os", "OS", "text", "Operating system"], "unavailable", ({ os }) => os),
  field(
    ["forthcoming", "Forthcoming", "bool", "whether the Instance is forthcoming"],
    ({ forthcoming }) => forthcoming === true,
  ),
];

const nodeFields: readonly InstanceField[] = [
  optionalField(
    ["pnode", "Primary_node", "text", "Primary node"],
    "unavailable",
    (instance, now) => primaryNode(instance, now)?.name,
    "hostname",
  ),
  optionalField(
    ["pnode.group", "PrimaryNodeGroup", "text", "Primary node's group"],
    "unavailable",
    (instance, now) => groupOf(primaryNode(instance, now), now)?.name,
  ),
  optionalField(
    ["pnode.group.uuid", "PrimaryNodeGroupUUID", "text", "Primary node's group UUID"],
    "unavailable",
    (instance, now) => primaryNode(instance, now)?.group,
  ),
  field(
    ["snodes", "Secondary_Nodes", "other", "Secondary nodes; usually this will just be one node"],
    (instance, now) => secondaries(instance, now).map(({ name }) => name),
  ),
  field(
    ["snodes.group", "SecondaryNodesGroups", "other", "Node groups of secondary nodes"],
    (instance, now) => secondaries(instance, now).map((node) => groupOf(node, now)?.name ?? null),
  ),
  field(
    [
      "snodes.group.uuid",
      "SecondaryNodesGroupsUUID",
      "other",
      "Node group UUIDs of secondary nodes",
    ],
    (instance, now) => secondaries(instance, now).map(({ group }) => group),
  ),
];

const parameterFields: readonly InstanceField[] = [
  field(
    ["hvparams", "HypervisorParameters", "other", "Hypervisor parameters (merged)"],
    shownHvparams,
  ),
  field(
    ["beparams", "BackendParameters", "other", "Backend parameters (merged)"],
    (instance, now) => filledBeparams(now, instance),
  ),
  field(
    ["osparams", "OpSysParameters", "other", "Operating system parameters (merged)"],
    (instance, now) => filledOsparams(now, instance).public,
  ),
  field(
    ["custom_hvparams", "CustomHypervisorParameters", "other", "Custom hypervisor parameters"],
    ({ hvparams }) => hvparams ?? {},
  ),
  field(
    ["custom_beparams", "CustomBackendParameters", "other", "Custom backend parameters"],
    ({ beparams }) => beparams ?? {},
  ),
  field(
    ["custom_osparams", "CustomOpSysParameters", "other", "Custom operating system parameters"],
    ({ osparams }) => osparams ?? {},
  ),
  field(
    ["custom_nicparams", "CustomNicParameters", "other", "Custom network interface parameters"],
    ({ nics }) => nics.map(({ nicparams }) => nicparams ?? {}),
  ),
  ...backendFields<InstanceObject>((instance, now) => filledBeparams(now, instance)),
  ...hypervisorFields<InstanceObject>(ownHvparams),
];

/** Older names of fields, still in use. */
const aliases = {
  vcpus: "be/vcpus",
  "be/memory": "be/maxmem",
  sda_size: "disk.size/0",
  sdb_size: "disk.size/1",
  ip: "nic.ip/0",
  mac: "nic.mac/0",
  bridge: "nic.bridge/0",
  nic_mode: "nic.mode/0",
  nic_link: "nic.link/0",
  nic_network: "nic.network/0",
} as const;

/** Query fields of instances. */
export const instanceFields: readonly InstanceField[] = withAliases([
  ...plainFields,
  ...nodeFields,
  ...parameterFields,
  optionalField(
    ["disk_template", "Disk_template", "text", "Instance disk template"],
    "unavailable",
    (instance, now) => diskTemplate(now, instance),
  ),
  ...diskFields,
  ...nicFields,
  ...liveInstanceFields,
  ...commonFields<InstanceObject>("Instance"),
]);

function withAliases(fields: readonly InstanceField[]): readonly InstanceField[] {
  const byName = new Map(fields.map((one) => [one.definition.name, one]));
  return [
    ...fields,
    ...Object.entries(aliases).map(([name, of]) => {
      const original = byName.get(of) as InstanceField;
      return { ...original, definition: { ...original.definition, name } };
    }),
  ];
}

/** Filled parameters; those of a reservation without a hypervisor are its own. */
function ownHvparams(instance: InstanceObject, now: Snapshot) {
  return instance.hypervisor === undefined ? instance.hvparams : filledHvparams(now, instance);
}

/** Without parameters that only the cluster sets. */
function shownHvparams(instance: InstanceObject, now: Snapshot) {
  const shown: Record<string, unknown> = { ...ownHvparams(instance, now) };
  for (const name of globalHvparams) delete shown[name];
  return shown;
}

const primaryNode = ({ primary_node }: InstanceObject, now: Snapshot) =>
  primary_node ? now.node(primary_node) : undefined;

const groupOf = (node: ReturnType<typeof primaryNode>, now: Snapshot) =>
  node && now.group(node.group);

const secondaries = (instance: InstanceObject, now: Snapshot) =>
  secondaryNodes(now, instance).flatMap((uuid) => now.node(uuid) ?? []);
