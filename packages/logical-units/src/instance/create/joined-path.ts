/** Paths of several parts that must stay below the first one. */
import { ExecError } from "@ganeti-ts/job-queue";

/**
 * The first part is absolute. Nothing but the parts may be in the path: no `..`, no `.`, no slash twice or at the end.
 * Source: Ganeti, lib/utils/io.py, `PathJoin`. @throws ExecError
 */
export function joinedPath(parts: readonly [string, ...string[]]): string {
  const [base] = parts;
  const path = parts.reduce((before, part) => {
    if (part.startsWith("/")) return part;
    return before.endsWith("/") ? before + part : `${before}/${part}`;
  });
  const segments = path === "/" ? [] : path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    const said = parts.map((part) => `'${part}'`).join(", ");
    throw new ExecError(`Invalid parameters to PathJoin: '(${said})'`);
  }
  if (path !== base && !path.startsWith(`${base}/`)) {
    throw new ExecError(`Error: path joining resulted in different prefix (${path} != ${base})`);
  }
  return path;
}
