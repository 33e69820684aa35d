/** Translation of failed calls into errors for users. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { RapiError } from "@ganeti-ts/rapi-client/transport";
import { ConnectionFailure, GanetiError, Interrupted } from "../errors.js";

/** Failure of any call. `socket`: path of this machine's server; undefined for a remote one. */
export function failureOfCall(error: unknown, socket: string | undefined): unknown {
  if (!(error instanceof RapiError)) return error;
  if (error.code === "aborted") return new Interrupted();
  if (error.code === "refused") return refusalText(error);
  const passing = ["unreachable", "broken", "timeout"].includes(error.code);
  if (socket !== undefined && (error.code === "unreachable" || error.code === "broken")) {
    return new ConnectionFailure(
      "Cannot communicate with the master daemon.\nIs the process running and listening for connections?" +
        `\n${whatToDo(error, socket)}`,
      { cause: error, passing },
    );
  }
  const help =
    error.code === "tls"
      ? "\nA cluster's own certificate is trusted with --ca FILE; --insecure trusts any."
      : "";
  return new ConnectionFailure(`Cannot communicate with the server: ${error.message}${help}`, {
    cause: error,
    passing,
  });
}

/** Hint below Ganeti's words. */
function whatToDo(error: RapiError, socket: string): string {
  const { code } = (error.cause ?? {}) as { readonly code?: string };
  if (code === "EACCES")
    return `${socket} belongs to another user: run this as its owner, or use --url.`;
  const there =
    code === "ENOENT"
      ? `There is no socket ${socket}`
      : `No server answers on the socket ${socket}`;
  const directory = dirname(socket);
  const start = `start the server with "ganeti-rapi --data-dir=${directory}"`;
  const other = "name another cluster with --data-dir or --url";
  return existsSync(join(directory, "cluster.db"))
    ? `${there}: ${start}, or ${other}.`
    : `${there}: create a cluster with "gnt-cluster init --simulated NAME", ${start} if there is one, or ${other}.`;
}

function refusalText(error: RapiError): Error {
  const says = error.says ?? error.message;
  if (error.status === 401 || error.status === 403) {
    return new ConnectionFailure(
      `It seems you don't have permissions for this: ${says}\n${whatIsMissing(error.status)}`,
      { cause: error },
    );
  }
  const full = error.status === 503 && says.startsWith("Job queue is full");
  return new GanetiError(full ? "JobQueueFull" : "GenericError", [says], { cause: error });
}

const whatIsMissing = (status: 401 | 403): string =>
  status === 401
    ? "No name and password were given, or not the right ones: --user NAME or $GANETI_RAPI_USER," +
      ' --password-file FILE or $GANETI_RAPI_PASSWORD. Where the server runs, "gnt-cluster user list" shows who may use' +
      ' it, "gnt-cluster user add --rights=write NAME" adds a user (with Ganeti\'s own server: its file rapi/users).'
    : "The user needs more rights on that server (in its file rapi/users: write, and on a server of ours full for" +
      " what Ganeti's remote API has no request for). Please retry as a different user.";

/** Failure of a query: Ganeti's server distinguishes refusals by status. */
export function failureOfQuery(error: unknown, socket: string | undefined): unknown {
  if (!(error instanceof RapiError) || error.code !== "refused")
    return failureOfCall(error, socket);
  const says = error.says ?? error.message;
  const cause = { cause: error };
  if (error.status === 404 && !isUnreadable(404, says))
    return new GanetiError("OpPrereqError", [says, "unknown_entity"], cause);
  // Ganeti shows the arguments of its own error there.
  const [, text, code] = /^\(['"](.*)['"], '(\w+)'\)$/s.exec(says) ?? [];
  if (error.status === 500 && text !== undefined && code !== undefined) {
    return new GanetiError("OpPrereqError", [text, code], cause);
  }
  if (isUnreadable(error.status, says)) return new GanetiError("ProtocolError", [says], cause);
  // Ganeti answers 500 where a server of ours answers 400.
  if (error.status === 500 || error.status === 400) {
    return new GanetiError("ParameterError", [says], cause);
  }
  return failureOfCall(error, socket);
}

/** Ganeti's server answers 502, ours 400 in the same words, or 404 for an unknown kind of query. */
const isUnreadable = (status: number | undefined, says: string): boolean =>
  status === 502 || says.startsWith("Failed to parse request: ");

/** Failure about a filter rule: an invalid or unknown one. */
export function failureOfFilter(error: unknown, socket: string | undefined): unknown {
  if (!(error instanceof RapiError) || error.code !== "refused")
    return failureOfCall(error, socket);
  const says = error.says ?? error.message;
  const className = isUnreadable(error.status, says) ? "ProtocolError" : "GenericError";
  return new GanetiError(className, [says], { cause: error });
}
