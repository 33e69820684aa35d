/** Checks of the machine itself. */
import { existsSync } from "node:fs";
import type { NodeContext } from "../context.js";
import { missingBridges } from "./network-calls.js";
import { protocolVersion } from "./protocol-version.js";
import type { Checks } from "./verification.js";

/** The release of Ganeti that this daemon implements. */
const release = "3.0.2";

const setupFaults = [
  {
    paths: ["/sys/block", "/sys/class/net"],
    // Ganeti's text [sic].
    fault:
      "The sysfs filesytem doesn't seem to be mounted under /sys, missing required directories /sys/block and /sys/class/net",
  },
  {
    paths: ["/proc/sys", "/proc/sysrq-trigger"],
    fault:
      "The procfs filesystem doesn't seem to be mounted under /proc, missing required directory /proc/sys and the file /proc/sysrq-trigger",
  },
];

export const machineChecks = (
  { clock }: Pick<NodeContext, "clock">,
  interfaces: string,
): Checks => ({
  version: async () => ({ version: { protocol: protocolVersion, release } }),
  time: async () => ({ wallMicros: clock.wallMicros() }),
  nodeSetup: async () => ({
    nodeSetup: setupFaults
      .filter(({ paths }) => !paths.every((path) => existsSync(path)))
      .map(({ fault }) => fault),
  }),
  bridges: async (bridges) => ({ missingBridges: await missingBridges(bridges, interfaces) }),
});
