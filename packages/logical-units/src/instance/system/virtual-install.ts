/**
 * Installation of an operating system with untrusted scripts, in a helper VM that has the
 * instance's disks.
 */
import { instanceOnNode } from "@ganeti-ts/config";
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import type { OsDefinition } from "@ganeti-ts/node-calls";
import type { Json, RealInstance } from "@ganeti-ts/protocol";
import { ask, valueOrFail } from "../../unit/effects.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { nodeName } from "../state.js";
import { runWithHelperVm } from "./helper-vm.js";

/** Timeouts (s) until a helper VM runs, and until it has finished. */
export const helperTimeouts = { startup: 5 * 60, shutdown: 2 * 60 * 60 };

/** Instance parameter: the archive from which the helper VM gets its scripts. */
const packageParameter = "os-install-package";

/**
 * The operating system as reported by the primary node. @throws ExecError, PrereqError
 * `environment_error`
 */
export async function availableOs(
  context: UnitContext,
  { os, primary_node: node }: RealInstance,
): Promise<OsDefinition> {
  const [name] = os.split("+", 1);
  const known = valueOrFail(
    await ask(context, node, "os_diagnose", {}),
    `Failed to get OS '${os}'`,
  );
  const found = known.find((one) => one.name === name);
  if (found !== undefined) return found;
  const text = `OS '${os}' is not available in node '${nodeName(context.now, node)}'`;
  throw new PrereqError("environment_error", text);
}

/**
 * Whether the scripts are trusted; the node reports an unknown operating system when it runs the
 * scripts.
 */
export async function mayRunOnNode(
  world: World,
  { os, primary_node: node }: RealInstance,
): Promise<boolean> {
  const [name] = os.split("+", 1);
  const answer = await ask(world, node, "os_diagnose", {});
  const found = answer.ok ? answer.value.find((one) => one.name === name) : undefined;
  return found?.trusted ?? true;
}

interface VirtualInstall {
  readonly startupTimeoutSeconds: number;
  readonly timeoutSeconds: number;
  readonly secretOsparams: Readonly<Record<string, Json>>;
  /** Whether memory is reserved for the instance. */
  readonly hasMemory: boolean;
}

/** Leaves the instance stopped, with inactive disks. @throws ExecError */
export async function installVirtualized(
  world: World,
  instance: RealInstance,
  { secretOsparams, ...timeouts }: VirtualInstall,
): Promise<void> {
  const now = world.config.snapshot;
  const image = now.cluster.install_image;
  if (image === "") {
    throw new ExecError(
      "Cannot create install instance because an install image has not been specified",
    );
  }
  const environment = environmentOf(instance);
  const path = await packageOf(contextAt(world, now), instance, environment);
  await runWithHelperVm(world, instance, {
    image,
    ...timeouts,
    prefix: "Running OS create script",
    osparams: { ...secretOsparams, [packageParameter]: path },
  });
}

const diskPrefixes: Readonly<Record<string, string>> = {
  kvm: "/dev/vd",
  "xen-pvm": "/dev/xvd",
  "xen-hvm": "/dev/xvd",
};

/** The instance's disks come after the helper's disk. */
function environmentOf({ hypervisor, disks }: RealInstance): Readonly<Record<string, string>> {
  const prefix = diskPrefixes[hypervisor];
  if (prefix === undefined) {
    throw new ExecError(
      `Cannot run OS scripts in a virtualized environment for hypervisor '${hypervisor}'`,
    );
  }
  const paths = disks.map((_, at) => [`DISK_${at}_PATH`, `${prefix}${letterOf(at + 1)}`] as const);
  return { OS_SCRIPT: "create_untrusted", ...Object.fromEntries(paths) };
}

const letterOf = (index: number): string => String.fromCharCode("a".charCodeAt(0) + index);

/** The archive named by the instance, or a newly made one. */
async function packageOf(
  context: UnitContext,
  instance: RealInstance,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const given = instance.osparams[packageParameter];
  if (typeof given === "string") {
    context.log(`Using OS install package '${given}'`);
    return given;
  }
  const made = valueOrFail(
    await ask(context, instance.primary_node, "os_export", {
      instance: instanceOnNode(context.now, instance),
      environment,
    }),
    `Could not export OS '${instance.os}'`,
  );
  context.log(`Created OS install package '${made}'`);
  return made;
}
