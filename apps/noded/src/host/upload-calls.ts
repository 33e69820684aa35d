/** Calls by which the master uploads files. */
import { lstat, readFile } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import {
  isListable,
  listedPaths,
  redistributionList,
  type Upload,
  uploadTargets,
} from "@ganeti-ts/node-calls";
import type { NodeContext } from "../context.js";
import { NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { located, type NodePaths } from "../machine/paths.js";
import { accountOf, ownerOf } from "./accounts.js";
import { whileLocked } from "./file-lock.js";
import { replaceFile } from "./replaced-file.js";
import { ssconfKeys } from "./ssconf.js";

/**
 * Kind of file the master may write there: one that nodes always accept, or one named in this node's copy of the list; null
 * for all others. A copy of the list that others than root may have written is ignored.
 */
async function kindOf(paths: NodePaths, path: string): Promise<"own" | "listed" | null> {
  const isOneOf = (files: readonly string[]): boolean =>
    files.some((file) => located(paths, file) === path);
  if (isOneOf(uploadTargets)) return "own";
  const list = located(paths, redistributionList);
  const found = await lstat(list).catch(() => null);
  if (!found?.isFile() || found.uid !== 0 || (found.mode & 0o022) !== 0) return null;
  const listed = listedPaths(await readFile(list, "utf8"));
  return isOneOf(listed.filter(isListable)) ? "listed" : null;
}

/** Permission bits: modes travel as `st_mode`. */
const permissions = (mode: number | null): number => (mode === null ? 0o600 : mode & 0o7777);

export function uploadCalls(context: NodeContext) {
  const { paths, run } = context;
  const write = async (file: Upload): Promise<void> => {
    if (!isAbsolute(file.path)) {
      throw new NodeFailure(`Filename passed to UploadFile is not absolute: '${file.path}'`);
    }
    const path = located(paths, file.path);
    const kind = normalize(path) === path ? await kindOf(paths, path) : null;
    if (kind === null) {
      throw new NodeFailure(
        `Filename passed to UploadFile not in allowed upload targets: '${file.path}'`,
      );
    }
    const owner = await (kind === "own" ? ownerOf : accountOf)(context, file.owner, file.group);
    const { accessedAt, modifiedAt } = file;
    const mode = permissions(file.mode);
    await replaceFile(path, file.content, { ...owner, mode, accessedAt, modifiedAt });
  };
  return handlers({
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
    },
  });
}
