/** Suggested commands with the demonstration's address and user; lines fit into 80 columns. */
import type { Served } from "../program/serve.js";

export interface Shown {
  readonly url: Served["url"];
  readonly directory: Pick<Served["directory"], "path">;
  readonly luxi: { readonly root: Pick<Served["luxi"]["root"], "hostName"> };
}

export function nextCommands(
  { url, directory, luxi }: Shown,
  user: string,
  password: string,
): string[] {
  const { hostName } = luxi.root;
  const at = url.replace("://", `://${user}:${password}@`);
  const curl = `curl -sk -u ${user}:${password}`;
  const gnt = "node apps/gnt/dist/gnt.js";
  return [
    "",
    "Next, in another terminal:",
    `  export GANETI_TS_DATA=${directory.path}`,
    `  export URL=${url}`,
    "  # an administrator's commands; the owner of the data needs no password",
    `  ${gnt} instance list`,
    `  ${gnt} instance shutdown web1.example.com`,
    `  ${gnt} job list`,
    "  # the remote API; a change answers with the number of its job",
    `  ${curl} "$URL/2/instances?bulk=1"`,
    `  ${curl} -X PUT $URL/2/instances/web1.example.com/startup`,
    `  ${curl} $URL/2/jobs/1`,
    "  # a description of the whole API",
    "  curl -sk $URL/openapi.json",
    "  # all events as they happen: prints nothing until one does, Ctrl-C ends it",
    `  ${curl} -N $URL/ganeti-ts/1/events`,
    "  # the programs of htools: how to balance a group, how much still fits",
    `  node apps/hail/dist/hbal.js -m ${at} -G default -p`,
    `  node apps/hail/dist/hspace.js -m ${at}`,
    "  node apps/hail/dist/hbal.js -L -G default -p",
    "  # the programs of Debian's packages ganeti and ganeti-htools, with this",
    `  export GANETI_HOSTNAME=${hostName} \\`,
    `    GANETI_ROOTDIR=$GANETI_TS_DATA/vroot/${hostName}`,
    "  gnt-instance list; gnt-cluster verify; hbal -L -G default",
    "  # the local socket",
    "  curl -s --unix-socket $GANETI_TS_DATA/rapi.sock http://local/2/info",
  ];
}
