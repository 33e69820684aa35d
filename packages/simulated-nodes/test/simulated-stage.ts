// Simulated nodes as a stage for the conformance suite, on a virtual clock.
import { exportDirectory } from "@ganeti-ts/node-calls";
import type { NodeStage } from "@ganeti-ts/node-calls/conformance";
import { VirtualClock } from "@ganeti-ts/testkit/simulation";
import { briskDurations, SimulatedNodes } from "../src/index.js";

const members = ["A", "B", "C"].map((uuid, at) => ({
  uuid,
  name: `${uuid}.example.com`,
  primaryIp: `192.0.2.${at + 1}`,
  secondaryIp: `198.51.100.${at + 1}`,
})) as unknown as NodeStage["members"];

/** Only copying takes time, so that laws need not drive the clock during other calls. */
const durations = { ...briskDurations, callMs: 0, instanceStartMs: 0, instanceStopMs: 0 };

export async function simulatedStage(): Promise<NodeStage> {
  const clock = new VirtualClock();
  const nodes = await SimulatedNodes.open({
    clock,
    durations: { ...durations, osScriptMs: 0, copySpeed: Infinity },
    hosts: members.map(({ name }) => ({
      name,
      volumeGroups: { xenvg: { "/dev/sda": 8192 } },
      commands: { uptime: "up 3 days", "iallocator hail": "{}" },
    })),
  });
  for (const member of members) await nodes.introduce(member);
  return {
    nodes,
    fence: nodes,
    members,
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
    setReadOnly: (node, name, readOnly) =>
      nodes.setReadOnly(members[node]?.uuid ?? "", ["xenvg", name], readOnly),
    pass: (milliseconds) => clock.pass(milliseconds),
  };
}
