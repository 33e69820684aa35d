import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { dataDirectory } from "@ganeti-ts/node-calls";
import { shellWord } from "./machine-way.js";

/** The node of a Ganeti cluster that the server runs on. */
export interface GanetiSite {
  /** Full name of the node. */
  readonly host: string;
  /** Root folder of a virtual node; undefined on a real machine. */
  readonly root: string | undefined;
  /** Folder with `config.data`, `server.pem`, `client.pem`. */
  readonly data: string;
}

/** Options of the administrator; undefined if not given. */
export interface SiteOptions {
  readonly ganetiData: string | undefined;
  readonly ganetiRoot: string | undefined;
  readonly ganetiHost: string | undefined;
}

/** The site from the options or, if they are not given, from the variables that Ganeti's programs use on virtual nodes. */
export function ganetiSite(
  options: SiteOptions,
  env: Readonly<Record<string, string | undefined>>,
): GanetiSite {
  const root = options.ganetiRoot ?? (env.GANETI_ROOTDIR || undefined);
  return {
    root,
    host: options.ganetiHost ?? (env.GANETI_HOSTNAME || hostname()),
    data: options.ganetiData ?? join(root ?? "/", dataDirectory),
  };
}

/** The site with the full name of its node, because the hostname of many machines is only the first part of it. */
export function siteOfNode(
  site: GanetiSite,
  nodes: readonly { readonly name: string }[],
): GanetiSite {
  const { host } = site;
  const own = nodes.filter(({ name }) => name === host || name.startsWith(`${host}.`));
  const [only] = own;
  return only !== undefined && own.length === 1 ? { ...site, host: only.name } : site;
}

/** Path of a node's file for this process; files of the data folder are in `data`. */
export function localPath({ root, data }: GanetiSite, path: string): string {
  if (path.startsWith(`${dataDirectory}/`)) return join(data, path.slice(dataDirectory.length));
  return root === undefined ? path : join(root, path);
}

/** Root folder of another virtual node, without a trailing slash; the folders of all nodes are siblings. */
export const rootOf = ({ root }: GanetiSite, node: string): string =>
  root === undefined ? "" : join(dirname(root), node);

/** Path of the copy of a file on another node: below the root of a virtual node the root is replaced, otherwise the path is the same. */
export function pathOn(site: GanetiSite, node: string, path: string): string {
  const { root } = site;
  if (root === undefined || !path.startsWith(`${root}/`)) return path;
  return `${rootOf(site, node)}${path.slice(root.length)}`;
}

/** Variables that programs on another node need; none on real machines. */
export function environmentOn(site: GanetiSite, node: string): Readonly<Record<string, string>> {
  if (site.root === undefined) return {};
  return { GANETI_ROOTDIR: rootOf(site, node), GANETI_HOSTNAME: node };
}

/** The same as shell commands, a prefix for a command that runs there. */
export const exportsOn = (site: GanetiSite, node: string): string =>
  Object.entries(environmentOn(site, node))
    .map(([variable, value]) => `export ${variable}=${shellWord(value)}; `)
    .join("");
