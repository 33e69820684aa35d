/** Choice between KVM and emulation. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { NodeContext } from "../../context.js";
import type { HvParams } from "../hypervisor.js";
import { removeIfThere } from "../state-files.js";
import { text } from "./parameters.js";

export type Accelerator = "kvm" | "tcg";

export interface Acceleration {
  /** Null leaves the choice to QEMU, if what it would choose works. */
  choose(hvparams: HvParams): Promise<Accelerator | null>;
}

const probeMs = 10_000;
/** Status of QEMU after a guest has written 0x10 to the port of `isa-debug-exit`. */
const probePassed = 0x21;

/** A firmware whose first instructions write 0x10 to port 0xf4 and halt. */
function probeFirmware(): Buffer {
  const firmware = Buffer.alloc(0x10000);
  Buffer.from([0xb0, 0x10, 0xe6, 0xf4, 0xf4]).copy(firmware, 0xfff0);
  return firmware;
}

/** Whether a guest runs with that accelerator; a device that can be opened does not prove it. */
export async function acceleratorWorks(
  { run }: Pick<NodeContext, "run">,
  program: string,
  accelerator: Accelerator,
  timeoutMs = probeMs,
): Promise<boolean> {
  const firmware = join(tmpdir(), `noded-probe-${randomBytes(6).toString("hex")}`);
  await writeFile(firmware, probeFirmware(), { mode: 0o600, flag: "wx" });
  const args = [
    ...["-accel", accelerator, "-machine", "pc", "-m", "16", "-nodefaults", "-display", "none"],
    ...["-bios", firmware, "-device", "isa-debug-exit,iobase=0xf4,iosize=0x04"],
  ];
  try {
    const { code, limit } = await run.run({ program, args, timeoutMs, lingerMs: 1_000 });
    return limit === "none" && code === probePassed;
  } finally {
    await removeIfThere(firmware);
  }
}

/**
 * Uses KVM where the parameters or the program request it and a probe guest has run with it, else emulation, with a
 * warning. The result is cached per program; a probe that could not be carried out is repeated.
 */
export function acceleration(
  { run, log }: Pick<NodeContext, "run" | "log">,
  works: typeof acceleratorWorks = acceleratorWorks,
): Acceleration {
  const known = new Map<string, Promise<boolean>>();
  return {
    async choose(hvparams) {
      const program = text(hvparams, "kvm_path");
      const wish = text(hvparams, "kvm_flag");
      // QEMU selects KVM by itself if the name of the program ends in "kvm".
      const isKvmProgram = basename(program).endsWith("kvm") && wish !== "disabled";
      if (wish !== "enabled" && !isKvmProgram) return null;
      let answer = known.get(program);
      if (answer === undefined) {
        answer = works({ run }, program, "kvm");
        known.set(program, answer);
        answer.catch(() => known.delete(program));
        if (!(await answer)) {
          log.warn(`${program}: no guest runs with KVM on this machine; guests are emulated`);
        }
      }
      if (!(await answer)) return "tcg";
      return wish === "enabled" ? "kvm" : null;
    },
  };
}
