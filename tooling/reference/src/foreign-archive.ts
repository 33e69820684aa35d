// The archive of another Debian than the machine's: options with which apt resolves packages of it alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Options for apt-get that make it see the archive's `suite` alone, and no package as installed. Its state is below
 * `place`. The archive is the one from which the machine has its own Debian.
 */
export function foreignArchive(suite: string, place: string): readonly string[] {
  const state = join(place, "apt");
  mkdirSync(join(state, "lists/partial"), { recursive: true });
  writeFileSync(join(state, "status"), "");
  writeFileSync(join(state, "sources"), `deb [signed-by=${keyring}] ${archive()} ${suite} main\n`);
  const settings = {
    "Dir::State": state,
    "Dir::State::status": join(state, "status"),
    "Dir::Cache": state,
    "Dir::Etc::sourcelist": join(state, "sources"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferences": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** Address of the archive from which the machine has its own Debian, as in apt's lists. */
function archive(): string {
  const read = () => {
    const only = ["Created-By: Packages", "Origin: Debian", "Label: Debian", "Component: main"];
    const args = ["indextargets", "--format", "$(REPO_URI)", ...only];
    return spawnSync("apt-get", args, { encoding: "utf8" }).stdout?.split("\n")[0] ?? "";
  };
  if (read() === "") spawnSync("apt-get", ["update", "-qq"]);
  const found = read();
  if (found === "") throw new Error("apt has no archive of Debian among its sources");
  return found;
}
