/** placeOf: options and paths of a server on the master of a cluster with files in Ganeti's formats. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { localPath } from "@ganeti-ts/machines";
import { dataDirectory } from "@ganeti-ts/node-calls";
import { type Adopted, readAdopted } from "@ganeti-ts/takeover";
import type { DataDirectory } from "../data-directory.js";
import type { Options } from "../options.js";

export interface Place {
  readonly options: Options;
  readonly directory: DataDirectory;
  /** Undefined for clusters without copies in Ganeti's formats. */
  readonly adopted: Adopted | undefined;
}

const luxiSocket = "/var/run/ganeti/socket/ganeti-query";

/**
 * An adopted cluster is served like by Ganeti's daemons: with their certificate, users and keys, on all addresses, and on
 * the socket that Ganeti's programs use. A cluster that was made here has the same files, so that candidates get them, but
 * its certificate is made if missing, and it listens as the options say. Options on the command line take precedence.
 */
export function placeOf(options: Options, directory: DataDirectory): Place {
  const adopted = readAdopted(directory.adopted);
  if (adopted === undefined || adopted.state === "handed back") {
    return { options, directory, adopted: undefined };
  }
  const { site, state } = adopted;
  const file = (name: string) => localPath(site, `${dataDirectory}/${name}`);
  const usual =
    state === "adopted"
      ? { address: everyAddress(file), keyFile: file("rapi.pem") }
      : { ...options };
  return {
    adopted,
    directory: {
      ...directory,
      users: file(join("rapi", "users")),
      certificate: file("rapi.pem"),
    },
    options: {
      ...options,
      nodes: "ganeti",
      ganetiRoot: site.root,
      ganetiData: site.data,
      ganetiHost: site.host,
      address: givenAddress(options) ?? usual.address,
      keyFile: options.keyFile ?? usual.keyFile,
      confdKeyFile: options.confdKeyFile ?? file("hmac.key"),
      luxiPath: options.luxiPath ?? localPath(site, luxiSocket),
    },
  };
}

/** All addresses of the family that the cluster has; `::` covers IPv4 as well. */
function everyAddress(file: (name: string) => string): string {
  const family = file("ssconf_primary_ip_family");
  return existsSync(family) && readFileSync(family, "utf8").trim() === "10" ? "::" : "0.0.0.0";
}

const givenAddress = ({ given, address }: Options): string | undefined =>
  given.has("address") || given.has("interface") ? address : undefined;
