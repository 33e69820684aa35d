/**
 * Cluster read from the remote API, or from four files with answers of the API. Source: Ganeti,
 * HTools/Backend/Rapi.hs.
 */
import { DataError } from "@ganeti-ts/htools";
import {
  type ClusterData,
  decodeRapiCluster,
  MessageError,
  type RapiClusterBodies,
} from "@ganeti-ts/protocol";
import type { RapiError } from "@ganeti-ts/rapi-client";
import { FileError, onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import { rapiBase, rapiUrl } from "./rapi-url.js";

const filePrefix = "file://";

type Resource = keyof RapiClusterBodies;

/** Throws a DataError that names the missing or unreadable answer. */
export async function readRapi(address: string, ports: Ports): Promise<ClusterData> {
  const read = address.startsWith(filePrefix)
    ? (resource: Resource) => readFile(address.slice(filePrefix.length), resource, ports)
    : await readerOf(rapiBase(address), ports);
  const bodies = {
    groups: await read("groups"),
    nodes: await read("nodes"),
    instances: await read("instances"),
    info: await read("info"),
  };
  try {
    return decodeRapiCluster(bodies);
  } catch (error) {
    if (!(error instanceof MessageError || error instanceof FileError)) throw error;
    throw new DataError(error.message, { cause: error });
  }
}

async function readFile(
  folder: string,
  resource: Resource,
  ports: Ports,
): Promise<Uint8Array | FileError> {
  const path = `${folder}${folder === "" || folder.endsWith("/") ? "" : "/"}${resource}.json`;
  try {
    return onFile(path, () => ports.readFile(path));
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
}

async function readerOf(
  base: string,
  ports: Ports,
): Promise<(resource: Resource) => Promise<Uint8Array | MessageError>> {
  const { openRapi, RapiError } = await import("@ganeti-ts/rapi-client");
  // Our client strips trailing slashes from the URL, but Ganeti's programs then request `//2/info`.
  const [slashes] = /\/*$/.exec(base) as RegExpExecArray;
  const address = await rapiUrl(base);
  if (address.note !== undefined) ports.stderr(address.note);
  return async (resource) => {
    const isList = resource !== "info";
    try {
      const rapi = openRapi({ url: address.url, verifyCertificate: false, retriesMax: 0 });
      return await rapi.read(`${slashes}/2/${resource}`, isList ? { query: { bulk: 1 } } : {});
    } catch (error) {
      if (!(error instanceof RapiError)) throw error;
      const url = `${base}/2/${resource}${isList ? "?bulk=1" : ""}`;
      const text = `Curl error for '${url}', error ${curlError(error)}`;
      return new MessageError("wrong_message", text, { cause: error });
    }
  };
}

/** Wording of a failure by libcurl, which Ganeti's programs use. */
function curlError({ code, phase, url, cause }: RapiError): string {
  const system = cause as NodeJS.ErrnoException | undefined;
  switch (code) {
    case "invalid_url":
      return /^\w+:\/\//.test(url) && !/^https?:/.test(url)
        ? "CurlUnspportedProtocol"
        : "CurlUrlMalformat";
    case "unresolved":
      return "CurlCouldntResolveHost";
    case "unreachable":
      return "CurlCouldntConnect";
    case "tls":
      return "CurlSSLConnectError";
    case "timeout":
    case "aborted":
      return "CurlOperationTimeout";
    case "refused":
      return "CurlHttpReturnedError";
    case "broken":
    case "unexpected":
      if (system?.code?.startsWith("HPE_")) return "CurlUnspportedProtocol";
      if (phase === "body") return "CurlPartialFile";
      return system?.syscall === "read" ? "CurlRecvError" : "CurlGotNothing";
  }
}
