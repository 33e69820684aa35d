/** node_powercycle: a hard reboot of the machine that works without any disk. */
import { writeSync } from "node:fs";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";

const delayMs = 5_000;
const command = Buffer.from("b");

/**
 * `trigger`: descriptor of `/proc/sysrq-trigger`, opened when the daemon started, so that a machine whose disks have
 * failed can still be rebooted; null if this daemon must not reboot the machine.
 */
export const powercycleCalls = (
  { clock, run, log }: Pick<NodeContext, "clock" | "run" | "log">,
  trigger: number | null,
) =>
  handlers({
    async node_powercycle() {
      if (trigger === null) {
        throw new NodeFailure(
          "This daemon cannot reboot its machine: /proc/sysrq-trigger is not open",
        );
      }
      clock.after(delayMs, () => {
        try {
          writeSync(trigger, command);
        } catch (error) {
          log.error(`Cannot reboot through /proc/sysrq-trigger: ${(error as Error).message}`);
          run.run({ program: "reboot", args: ["-n", "-f"] }).catch((fault: Error) => {
            log.error(`Cannot reboot: ${fault.message}`);
          });
        }
      });
      return `Reboot scheduled in ${delayMs / 1000} seconds`;
    },
  });
