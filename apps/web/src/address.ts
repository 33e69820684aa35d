/** The page's state in the URL: a path and arguments behind `#`. */
import { useEffect, useRef, useState } from "preact/hooks";

export interface Address {
  readonly path: readonly string[];
  readonly args: URLSearchParams;
}

function addressOf(hash: string): Address {
  const [path = "", args = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decoded), args: new URLSearchParams(args) };
}

/** A part of a path as text; a malformed escape stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A link within the page; empty arguments are left out. */
export function linkTo(
  path: readonly string[],
  args: Readonly<Record<string, string>> = {},
): string {
  const kept = Object.entries(args).filter(([, value]) => value !== "");
  const query = new URLSearchParams(kept).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query && `?${query}`}`;
}

export function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return addressOf(hash);
}

/** Replaces the address by the link, unless the user has gone to another path in the meantime. */
export function replaceWhileAt(path: readonly string[], link: string): void {
  const isThere = addressOf(location.hash).path.join("/") === path.join("/");
  if (isThere) location.replace(link);
}

/** Changes arguments of the address without an entry in the browser's history. */
export function replaceArgs(
  { path, args }: Address,
  changes: Readonly<Record<string, string>>,
): void {
  location.replace(linkTo(path, { ...Object.fromEntries(args), ...changes }));
}

/** Pause (ms) after the last change before the URL follows a form: browsers limit how often it may change. */
export const addressPauseMs = 300;

/** Hook: a form, kept equal to its description in the URL of a path in both directions. */
export function useUrlForm<Form>(
  path: readonly string[],
  formIn: (args: URLSearchParams) => Form,
  argsOf: (form: Form) => Readonly<Record<string, string>>,
) {
  const { args } = useAddress();
  const [form, setForm] = useState(() => formIn(args));
  /** Arguments last written by the form, or read into it. */
  const known = useRef(args.toString());
  useEffect(() => {
    if (args.toString() === known.current) return;
    known.current = args.toString();
    setForm(formIn(args));
  }, [args.toString()]);
  useEffect(() => {
    const follow = () => {
      const link = linkTo(path, argsOf(form));
      known.current = new URLSearchParams(link.split("?", 2)[1]).toString();
      replaceWhileAt(path, link);
    };
    const timer = setTimeout(follow, addressPauseMs);
    return () => clearTimeout(timer);
  }, [form]);
  return [form, setForm] as const;
}
