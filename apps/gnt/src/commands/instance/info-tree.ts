/** Tree of all data of an instance. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import { timeText } from "../../time-text.js";
import { Ordered, type Tree } from "../../tree.js";
import { parameterTree } from "../parameter-tree.js";
import { diskTree } from "./info-disk-tree.js";
import { type Shown, shownBy } from "./shown-value.js";

/** From the result of OP_INSTANCE_QUERY_DATA. */
export function instanceTree(instance: JsonObject, isRoman: boolean): Ordered {
  const shown = shownBy(isRoman);
  const access = vncText(instance);
  const be_actual = instance.be_actual as JsonObject;
  return new Ordered([
    ["Instance name", shown(instance.name)],
    ["UUID", shown(instance.uuid)],
    ["Serial number", shown(instance.serial_no)],
    ["Creation time", timeText(Number(instance.ctime))],
    ["Modification time", timeText(Number(instance.mtime))],
    ["State", stateText(instance)],
    ["Nodes", nodesTree(instance, shown)],
    ["Operating system", shown(instance.os)],
    [
      "Operating system parameters",
      parametersTree(instance.os_instance, instance.os_actual, shown),
    ],
    ...("network_port" in instance
      ? [["Allocated network port", shown(instance.network_port)] as const]
      : []),
    ["Hypervisor", shown(instance.hypervisor)],
    ...(access === undefined ? [] : [["console connection", access] as const]),
    ["Hypervisor parameters", parametersTree(instance.hv_instance, instance.hv_actual, shown)],
    [
      "Back-end parameters",
      // One of them is also shown under its older name.
      parametersTree(
        instance.be_instance,
        { ...be_actual, memory: be_actual.maxmem ?? null },
        shown,
      ),
    ],
    ["NICs", (instance.nics as Json[]).map((nic, at) => nicTree(nic as Json[], at, shown))],
    ["Disk template", shown(instance.disk_template)],
    ["Disks", (instance.disks as JsonObject[]).map((disk, at) => diskTree(disk, at, true, shown))],
  ]);
}

const stateText = ({ config_state, run_state }: JsonObject): string =>
  `configured to be ${pythonText(config_state ?? "down")}${run_state ? `, actual state is ${run_state}` : ""}`;

function nodesTree(instance: JsonObject, shown: Shown): Tree {
  const { pnode_group_name: group, pnode_group_uuid: uuid } = instance;
  const groups = instance.snodes_group_names as Json[];
  const uuids = instance.snodes_group_uuids as Json[];
  const secondaries = (instance.snodes as Json[]).map(
    (node, at) => `${shown(node)} (group ${shown(groups[at])}, group UUID ${shown(uuids[at])})`,
  );
  return [
    new Ordered([
      ["primary", shown(instance.pnode)],
      ["group", `${shown(group)} (UUID ${shown(uuid)})`],
    ]),
    new Ordered([["secondaries", secondaries.join(", ")]]),
  ];
}

const parametersTree = (own: Json | undefined, all: Json | undefined, shown: Shown): Tree =>
  parameterTree((own ?? {}) as JsonObject, (all ?? {}) as JsonObject, shown);

/** Name, UUID, address, MAC, mode, link, VLAN, network, and details of the network. */
function nicTree(nic: readonly Json[], at: number, shown: Shown): Ordered {
  const [name, uuid, ip, mac, mode, link, vlan, , network] = nic;
  return new Ordered([
    [`nic/${shown(at)}`, ""],
    ["MAC", shown(mac)],
    ["IP", shown(ip)],
    ["mode", shown(mode)],
    ["link", shown(link)],
    ["vlan", shown(vlan)],
    ["network", shown((network as JsonObject | null)?.name)],
    ["UUID", shown(uuid)],
    ["name", shown(name)],
  ]);
}

/** Displays are counted from this port. */
const displayZero = 5900;

/** Undefined without a display. */
function vncText({ hv_actual, network_port, pnode }: JsonObject): string | undefined {
  const bind = (hv_actual as JsonObject).vnc_bind_address;
  if (!bind) return undefined;
  const display = Number(network_port) - displayZero;
  if (display > 0 && bind === "0.0.0.0") {
    return `vnc to ${pnode}:${network_port} (display ${display})`;
  }
  if (display > 0 && /^\d+(?:\.\d+){3}$/.test(String(bind))) {
    return `vnc to ${bind}:${network_port} (node ${pnode}) (display ${display})`;
  }
  return `vnc to ${pnode}:${bind}`;
}
