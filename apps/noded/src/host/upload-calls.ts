/** Whole files that the master sends. */
import { isAbsolute, join, normalize } from "node:path";
import type { SetupCalls, Upload } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import type { Handlers } from "../handlers.js";
import { located, type NodePaths } from "../machine/paths.js";
import { ownerOf } from "./accounts.js";
import { whileLocked } from "./file-lock.js";
import { replaceFile } from "./replaced-file.js";
import { ssconfKeys } from "./ssconf.js";

/** Files that the master may write on this node. */
const uploadTargets = (paths: NodePaths): ReadonlySet<string> =>
  new Set([
    ...[
      ...["config.data", "known_hosts", "rapi.pem", "spice.pem", "spice-ca.pem"],
      ...["rapi/users", "hmac.key", "cluster-domain-secret"],
    ].map((name) => join(paths.data, name)),
    ...["vnc-cluster-password", "kvm-vif-bridge"].map((name) => join(paths.conf, name)),
    ...["/etc/hosts", "/etc/xen/xl.conf", "/etc/xen/scripts/vif-ganeti"].map((path) =>
      located(paths, path),
    ),
  ]);

/** Permission bits: modes travel as `st_mode`. */
const permissions = (mode: number | null): number => (mode === null ? 0o600 : mode & 0o7777);

export function uploadCalls(
  context: NodeContext,
): Handlers<Pick<SetupCalls, "upload_file" | "upload_file_single" | "write_ssconf_files">> {
  const { paths, run } = context;
  const targets = uploadTargets(paths);
  const write = async (file: Upload): Promise<null> => {
    if (!isAbsolute(file.path)) {
      throw new NodeFailure(`Filename passed to UploadFile is not absolute: '${file.path}'`);
    }
    const path = located(paths, file.path);
    if (!targets.has(path) || normalize(path) !== path) {
      throw new NodeFailure(
        `Filename passed to UploadFile not in allowed upload targets: '${file.path}'`,
      );
    }
    const owner = await ownerOf(context, file.owner, file.group);
    const { accessedAt, modifiedAt } = file;
    const mode = permissions(file.mode);
    await replaceFile(path, file.content, { ...owner, mode, accessedAt, modifiedAt });
    return null;
  };
  return {
    upload_file: write,
    upload_file_single: write,
    async write_ssconf_files({ values }) {
      const unknown = Object.keys(values).find((key) => !ssconfKeys.has(key));
      if (unknown !== undefined) {
        throw new Error(`Invalid key requested from SSConf: '${unknown}'`);
      }
      await whileLocked(run, join(paths.lock, "ganeti-ssconf.lock"), 10_000, async () => {
        for (const [key, value] of Object.entries(values)) {
          const text = typeof value === "string" ? value : value.join("\n");
          const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
          const owner = { mode: 0o444, uid: 0, gid: 0 };
          await replaceFile(join(paths.data, `ssconf_${key}`), whole, owner);
        }
      });
      return null;
    },
  };
}
