// Simulated nodes for the laws of node back ends, on a virtual clock.
import { exportDirectory } from "@ganeti-ts/node-calls";
import type { NodeStage } from "@ganeti-ts/node-calls/conformance";
import { briskDurations, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import type { VirtualClock } from "@ganeti-ts/testkit/simulation";

export const members = ["A", "B", "C"].map((uuid, at) => ({
  uuid,
  name: `${uuid}.example.com`,
  primaryIp: `192.0.2.${at + 1}`,
  secondaryIp: `198.51.100.${at + 1}`,
})) as unknown as NodeStage["members"];

const durations = {
  ...briskDurations,
  callMs: 0,
  instanceStartMs: 0,
  instanceStopMs: 0,
  osScriptMs: 0,
  copySpeed: Infinity,
};

/** Simulated nodes with all members introduced. */
export async function simulation(clock: VirtualClock): Promise<SimulatedNodes> {
  const nodes = await SimulatedNodes.open({
    clock,
    durations,
    hosts: members.map(({ name }) => ({
      name,
      volumeGroups: { xenvg: { "/dev/sda": 8192 } },
      commands: { uptime: "up 3 days", "iallocator hail": "{}" },
    })),
  });
  for (const member of members) await nodes.introduce(member);
  return nodes;
}

/** Objects of these nodes that the laws use. */
export const thingsOfStage = {
  volumeGroup: "xenvg",
  fileDirectory: "/srv/ganeti/file-storage",
  hypervisor: "kvm",
  os: "noop+default",
  bridge: "xen-br0",
  uploadPath: "/var/lib/ganeti/rapi.pem",
  exportDirectory,
  restrictedCommand: "uptime",
  allocator: "hail",
  oobProgram: "/usr/bin/oob",
};
