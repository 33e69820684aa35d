import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { dataDirectory } from "@ganeti-ts/node-calls";
import { shellWord } from "./machine-way.js";

/** The node of a Ganeti cluster that the server runs on. */
export interface GanetiSite {
  /** Full name of the node. */
  readonly host: string;
  /** Root folder of a virtual node; undefined on a machine of its own. */
  readonly root: string | undefined;
  /** Folder with `config.data`, `server.pem`, `client.pem`. */
  readonly data: string;
}

/** Choices of the administrator; undefined where there is none. */
export interface SiteOptions {
  readonly ganetiData: string | undefined;
  readonly ganetiRoot: string | undefined;
  readonly ganetiHost: string | undefined;
}

/** Options first, then the variables with which Ganeti's own programs find their virtual node. */
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

/** The site with the full name of its node: many machines are known to themselves by the first part of it. */
export function siteOfNode(
  site: GanetiSite,
  nodes: readonly { readonly name: string }[],
): GanetiSite {
  const { host } = site;
  const own = nodes.filter(({ name }) => name === host || name.startsWith(`${host}.`));
  const [only] = own;
  return only !== undefined && own.length === 1 ? { ...site, host: only.name } : site;
}

/** Where a file of the node is for this process. Files of the data folder are found in `data`. */
export function localPath({ root, data }: GanetiSite, path: string): string {
  if (path.startsWith(`${dataDirectory}/`)) return join(data, path.slice(dataDirectory.length));
  return root === undefined ? path : join(root, path);
}

/** Root folder of another node, without a slash at its end: the virtual nodes are beside each other. */
export const rootOf = ({ root }: GanetiSite, node: string): string =>
  root === undefined ? "" : join(dirname(root), node);

/** Where another node has the copy of a file of this one: a path below the root of a virtual node changes its root. */
export function pathOn(site: GanetiSite, node: string, path: string): string {
  const { root } = site;
  if (root === undefined || !path.startsWith(`${root}/`)) return path;
  return `${rootOf(site, node)}${path.slice(root.length)}`;
}

/** Variables that programs of another node need: none on machines of their own. */
export function environmentOn(site: GanetiSite, node: string): Readonly<Record<string, string>> {
  if (site.root === undefined) return {};
  return { GANETI_ROOTDIR: rootOf(site, node), GANETI_HOSTNAME: node };
}

/** The same as commands of a shell, to be put before one that runs there. */
export const exportsOn = (site: GanetiSite, node: string): string =>
  Object.entries(environmentOn(site, node))
    .map(([variable, value]) => `export ${variable}=${shellWord(value)}; `)
    .join("");
