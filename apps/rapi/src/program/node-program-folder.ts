import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownFolder } from "../own-folder.js";
import { StartError } from "./start-error.js";

/** Next to this package, as both have the same scope, or where the Debian package installs it. */
const folders = [fileURLToPath(new URL("../noded/dist", ownFolder)), "/usr/lib/ganeti-ts/noded"];

/** Folder with the single file of the daemon. @throws StartError */
export function nodeProgramFolder(env: NodeJS.ProcessEnv): string {
  const candidates = env.GANETI_TS_NODED ? [env.GANETI_TS_NODED] : folders;
  const found = candidates.find((folder) => existsSync(join(folder, "ganeti-ts-noded.js")));
  if (found !== undefined) return found;
  throw new StartError(
    `there is no ganeti-ts-noded.js in ${candidates.join(" or ")}: install or build @ganeti-ts/noded beside this package, or name its folder in GANETI_TS_NODED`,
  );
}
