/** Calls about the role of this node in its cluster: master daemons, demotion, leaving. */

import { randomBytes } from "node:crypto";
import { constants, copyFile, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { ifMissing, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { outputOf, succeeded } from "../machine/runner.js";
import { attempt } from "../storage/failures.js";
import { firstProgram } from "./file-checks.js";
import { purge } from "./queue-calls.js";
import { removeOwnKeys } from "./ssh-files.js";
import { timeStamp } from "./time-stamp.js";

/** `leave` is called when the node has left its cluster: the daemon ends soon. */
export const membershipCalls = (context: NodeContext, leave: () => void) =>
  handlers({
    ...daemonCalls(context),

    async node_demote_from_mc() {
      const [master] = await context.ssconf("master_node");
      if (master === context.nodeName) {
        throw new NodeFailure("ssconf status shows I'm the master node, will not demote");
      }
      if (await isRunning(context, "ganeti-wconfd")) {
        throw new NodeFailure("The master daemon is running, will not demote");
      }
      const now = new Date(context.clock.wallMicros() / 1000);
      await removeWithBackup(join(context.paths.data, "config.data"), now).catch(
        ifMissing(undefined),
      );
    },

    async node_leave_cluster({ modifySshSetup }) {
      const { paths } = context;
      // Announced first, so that a repeated call is still accepted when the list of candidates is gone.
      leave();
      if (modifySshSetup) await removeOwnKeys(context);
      await removeFiles(paths.data);
      await removeFiles(paths.crypto);
      await purge(join(paths.data, "queue")).catch(ifMissing(undefined));
      for (const daemon of ["ganeti-confd", "ganeti-mond", "ganeti-kvmd"]) {
        await daemonUtil(context, ["stop", daemon]).catch((error: Error) =>
          context.log.warn(`${daemon} could not be stopped: ${error.message}`),
        );
      }
    },

    async node_configure_ovs({ name, link }) {
      const configure = async (args: readonly string[], what: string): Promise<void> => {
        const ended = await context.run.run({ program: "ovs-vsctl", args });
        if (succeeded(ended)) return;
        throw new NodeFailure(
          `Failed to ${what}. Script return value: ${ended.code}, output: '${outputOf(ended)}'`,
        );
      };
      for (const word of [name, link]) {
        if (word?.startsWith("-")) throw new NodeFailure(`Invalid name of an interface: '${word}'`);
      }
      await configure(["--may-exist", "add-br", name], "create openvswitch");
      if (link !== null) {
        const what = `connect openvswitch to  interface ${link}`;
        await configure(["--may-exist", "add-port", name, link], what);
      }
    },
  });

/** Calls that start and stop Ganeti's master daemons, where they are installed. */
const daemonCalls = (context: NodeContext) =>
  handlers({
    async node_start_master_daemons({ noVoting }) {
      const options = noVoting ? "--no-voting --yes-do-it" : "";
      const env = { EXTRA_LUXID_ARGS: options, EXTRA_WCONFD_ARGS: options };
      await attempt("Can't start Ganeti master", () => daemonUtil(context, ["start-master"], env));
    },
    node_stop_master: () =>
      daemonUtil(context, ["stop-master"]).catch((error: Error) =>
        context.log.error(`Could not stop Ganeti master: ${error.message}`),
      ),
    async node_ensure_daemon({ daemon, run }) {
      if (daemon !== "ganeti-kvmd")
        throw new NodeFailure(`Daemon '${daemon}' cannot be controlled`);
      // This daemon itself does the work of kvmd: it notices guests that power off.
      context.log.debug(`${daemon} is to be ${run ? "started" : "stopped"}: nothing to do`);
    },
  });

async function daemonUtil(
  { run, paths }: NodeContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const candidates = paths.lib.map((folder) => join(folder, "daemon-util"));
  const program = await firstProgram(candidates);
  if (program === undefined) throw new NodeFailure(`there is no ${candidates.at(-1)}`);
  const ended = await run.run({ program, args, env });
  if (!succeeded(ended)) throw new NodeFailure(outputOf(ended));
}

/** Whether the process in the daemon's pid file is alive and is that daemon. */
async function isRunning({ paths }: NodeContext, daemon: string): Promise<boolean> {
  const text = (path: string) => readFile(path, "utf8").catch(ifMissing(""));
  const pid = (await text(join(paths.run, `${daemon}.pid`))).trim();
  return /^\d+$/.test(pid) && (await text(`/proc/${pid}/cmdline`)).includes(daemon);
}

/** Removes the regular files of a directory, neither links nor directories. */
async function removeFiles(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ifMissing([]));
  for (const entry of entries) if (entry.isFile()) await rm(join(directory, entry.name));
}

/** Removes a file after copying it to `NAME.backup-TIME.XXXX`. Rejects with the error of the file system. */
async function removeWithBackup(path: string, now: Date): Promise<void> {
  const copy = `${path}.backup-${timeStamp(now)}.${randomBytes(4).toString("hex")}`;
  await copyFile(path, copy, constants.COPYFILE_EXCL);
  await rm(path);
}
