/** vhostWorks: checks whether the kernel can process packets of guests (vhost-net). */
import { open } from "node:fs/promises";
import type { NodeContext } from "../../context.js";
import type { HvParams } from "../hypervisor.js";
import { flag } from "./parameters.js";

const vhostDevice = "/dev/vhost-net";

/** Opens the device as QEMU will, which also loads its module. If that fails, NICs work without vhost, and a warning is logged. */
export async function vhostWorks(
  { log }: Pick<NodeContext, "log">,
  instance: string,
  hvparams: HvParams,
  device = vhostDevice,
): Promise<boolean> {
  if (!flag(hvparams, "vhost_net")) return false;
  try {
    await (await open(device, "r+")).close();
    return true;
  } catch (error) {
    log.warn(`${instance}: vhost_net is set but not used: ${(error as Error).message}`);
    return false;
  }
}
