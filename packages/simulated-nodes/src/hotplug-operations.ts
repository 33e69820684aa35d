/** Devices attached to running instances and detached; refused if something is missing that a real node needs. */
import type {
  HotplugDevice,
  InstanceCalls,
  InstanceOnNode,
  NicOnNode,
  NodeCallArguments,
} from "@ganeti-ts/node-calls";
import { deviceOn } from "./devices-in-use.js";
import { linkOf } from "./disk-kind.js";
import { kindOf } from "./disk-operations.js";
import { setEntry } from "./entries.js";
import type { HostState, InstanceState } from "./node-state.js";
import { type CallsOnHost, NodeFault, type Site } from "./site.js";

type Calls = Pick<InstanceCalls, "hotplug_supported" | "hotplug_device">;

export const hotplugOperations: CallsOnHost<keyof Calls> = {
  hotplug_supported({ host }, { instance }) {
    runningWithHotplug(host, instance);
  },
  hotplug_device(site, args) {
    const { instance, action, what } = args;
    const running = runningWithHotplug(site.host, instance);
    if (what.type === "nic") {
      const fault = action === "remove" ? undefined : nicFault(site.host, what.device);
      if (fault !== undefined) throw new NodeFault(fault);
    } else if (action !== "modify") {
      const devices = changedDevices(site, running, args, what);
      setEntry(site.host.instances, instance.name, { ...running, devices });
    }
  },
};

function runningWithHotplug(
  { instances }: HostState,
  { name, hypervisor }: InstanceOnNode,
): InstanceState {
  const running = instances[name];
  if (running === undefined) {
    throw new NodeFault("Hotplug is not supported: Instance is probably down");
  }
  if (hypervisor !== "kvm") {
    throw new NodeFault("Hotplug is not supported: Hotplug is not supported by this hypervisor");
  }
  return running;
}

function changedDevices(
  site: Site,
  { devices = [] }: InstanceState,
  { instance, action }: NodeCallArguments<"hotplug_device">,
  { device, extra, index }: Extract<HotplugDevice, { type: "disk" }>,
): readonly string[] {
  const key = deviceOn(site.uuid, device);
  const others = devices.filter((one) => one !== key);
  if (action === "remove") {
    if (others.length < devices.length) return others;
    throw new NodeFault(`Cannot find runtime info for disk with UUID ${device.uuid}`);
  }
  const { link, uri } = extra ?? { link: null, uri: null };
  if (link === null && uri === null) {
    throw new NodeFault("Cannot hot-add disk: A disk has neither a device nor an address");
  }
  if (device.mode !== undefined && device.mode !== "rw") {
    const why = "Instance has read-only disks which are not supported by KVM";
    throw new NodeFault(`Cannot hot-add disk: ${why}`);
  }
  const isSetUp = kindOf(device).status(site, device) !== undefined;
  if (!isSetUp || (link !== null && link !== linkOf(instance.name, index))) {
    throw new NodeFault(`Cannot hot-add disk: Could not open '${link}': No such file or directory`);
  }
  return [...others, key];
}

/** Reason why a node cannot connect the NIC of an instance; undefined if it can. */
export function nicFault(
  { bridges }: HostState,
  { uuid, mac, network, netinfo, nicparams: { mode, link } }: NicOnNode,
): string | undefined {
  if (!mac) return `NIC ${uuid} has no MAC address`;
  if (mode === undefined) return `NIC ${uuid} has no mode`;
  if (network && !netinfo) return `NIC ${uuid}: its network ${network} is unknown`;
  if (mode === "bridged" && !bridges.includes(String(link))) return `no bridge ${link}`;
  return undefined;
}
