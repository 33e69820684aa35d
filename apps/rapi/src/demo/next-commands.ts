/** What to try next, with the demonstration's own address and user. */
import type { Served } from "../program/serve.js";

export function nextCommands({ url, directory }: Served, user: string, password: string): string[] {
  const at = url.replace("://", `://${user}:${password}@`);
  const curl = `curl -sk -u ${user}:${password}`;
  const gnt = "node apps/gnt/dist/gnt.js";
  return [
    "",
    "Next, in another terminal:",
    `  export GANETI_TS_DATA=${directory.path}`,
    `  ${gnt} instance list                                             # the commands of an administrator`,
    `  ${gnt} instance shutdown web1.example.com                        # as the owner, without a password`,
    `  ${gnt} job list                                                  # what has been done so far`,
    `  ${curl} '${url}/2/instances?bulk=1'`,
    `  ${curl} -X PUT ${url}/2/instances/web1.example.com/shutdown      # gives the id of a job`,
    `  ${curl} ${url}/2/jobs/1                                          # what became of it`,
    `  ${curl} -N ${url}/ganeti-ts/1/events                             # whatever happens, as it happens`,
    `  curl -sk ${url}/openapi.json                                     # everything that can be asked`,
    `  node apps/hail/dist/hbal.js -m ${at} -p                          # the programs of htools`,
    `  node apps/hail/dist/hspace.js -m ${at}`,
    `  curl -s --unix-socket ${directory.socket} http://local/2/info    # as the owner, without a password`,
  ];
}
