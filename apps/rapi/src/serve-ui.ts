/** Responses below `/ui/`: the page's files, and login and logout. */
import type { Json } from "@ganeti-ts/protocol";
import * as z from "zod";
import { recorderOf } from "./audit/recorder.js";
import { optionsOf } from "./auth/authenticate.js";
import type { User } from "./auth/users.js";
import { HttpFault } from "./http/fault.js";
import type { Remote } from "./http/remote.js";
import { checkedBody } from "./resources/checked-body.js";
import type { Resource } from "./resources/resource.js";
import { scriptOf } from "./ui/files.js";
import { cookieIn, endedCookie, requireOwnPage } from "./ui/session.js";
import type { World } from "./world.js";

const common = [
  ...["default-src 'none'", "connect-src 'self'", "form-action 'self'"],
  ...["frame-ancestors 'none'", "base-uri 'none'"],
];
const policy = [...common, "script-src 'self'", "style-src 'self'", "img-src 'self' data:"].join(
  "; ",
);

/** Policy for the simulator, which is one file with a worker in it: allows exactly its own inline texts. */
const inlinePolicy = (hashes: readonly string[]): string =>
  [
    ...common,
    `script-src ${hashes.join(" ")} 'wasm-unsafe-eval'`,
    `style-src ${hashes.join(" ")}`,
    ...["img-src data:", "worker-src blob:"],
  ].join("; ");

const missing = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>No page</title></head>
<body><h1>The page is not installed</h1>
<p>This server works without it. Install the package <code>@ganeti-ts/web</code> beside <code>@ganeti-ts/rapi</code> and start the
server again; in a clone of the repository, <code>pnpm build</code> makes it.</p></body></html>
`;

export const uiPaths = /^\/ui(?:\/(.*))?$/;

/** A file of the page, or the notice that the page is not installed. @throws HttpFault 404, 501 */
export function uiResponse({ ui }: World, request: Request, path: string): Response {
  if (request.method !== "GET" && request.method !== "HEAD") throw new HttpFault(501);
  const security = {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
  };
  if (ui === undefined) {
    const headers = { ...security, "content-type": "text/html; charset=utf-8" };
    return new Response(missing, { status: 404, headers });
  }
  const file = ui.get(path === "" ? "index.html" : path);
  if (file === undefined) throw new HttpFault(404);
  const isZipped = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(isZipped ? file.zipped() : file.bytes, {
    headers: {
      ...security,
      ...(file.inlineHashes.length > 0 && {
        "content-security-policy": inlinePolicy(file.inlineHashes),
      }),
      "content-type": file.type,
      "cache-control": file.isConstant ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(isZipped && { "content-encoding": "gzip" }),
    },
  });
}

const Login = z.object({ user: z.string().max(256), password: z.string().max(1024) });

/**
 * Starts or ends a session; returns the answer with its cookie.
 * @throws HttpFault 401 for a wrong name or password, 403 from another site, 429 after too many wrong passwords, 501
 * for another method
 */
export async function sessionAnswer(
  world: World,
  request: Request,
  { body, remote }: { readonly body: Json | undefined; readonly remote: Remote },
): Promise<{ readonly answer: Json; readonly cookie: string }> {
  const { logins, sessions } = world;
  const { address } = remote;
  const header = (name: string) => request.headers.get(name) ?? undefined;
  requireOwnPage(header);
  if (request.method === "DELETE") {
    const user = await sessions.end(cookieIn(header("cookie")) ?? "");
    if (user !== undefined) {
      await recorderOf(world, { user: user.name, address })("logout", { done: true, text: "" });
    }
    return { answer: null, cookie: endedCookie };
  }
  if (request.method !== "POST") throw new HttpFault(501);
  const login = checkedBody(Login, body);
  const user = await logins.verify(login.user, login.password, remote);
  if (user === undefined) throw new HttpFault(401, "The name or the password is wrong");
  await recorderOf(world, { user: user.name, address })("login", { done: true, text: "" });
  return { answer: meOf(world, user), cookie: sessions.begin(user) };
}

const may = (user: User, access: "read" | "write" | "full"): boolean =>
  optionsOf[access].some((option) => user.options.has(option));

const meOf = ({ ui }: World, user: User) => ({
  user: user.name,
  rights: { read: may(user, "read"), write: may(user, "write"), full: may(user, "full") },
  page: ui === undefined ? null : scriptOf(ui),
});

export const whoamiResource: Resource = {
  path: "/ganeti-ts/1/whoami",
  methods: {
    GET: {
      summary: "The user of this request, the user's rights, and the page's build",
      access: "user",
      answer: z.object({
        user: z.string(),
        rights: z.object({ read: z.boolean(), write: z.boolean(), full: z.boolean() }),
        page: z
          .string()
          .nullable()
          .describe("Path of the page's first script; null without a page"),
      }),
      handle: ({ user }, world) => meOf(world, user as User),
    },
  },
};
