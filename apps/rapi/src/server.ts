/** The API as a function of what it is made of: requests in, answers out, no socket. */
import type { IncomingMessage } from "node:http";
import { writeJson } from "@ganeti-ts/protocol";
import { type Context, Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { authenticate, authorize, localUser } from "./auth/authenticate.js";
import type { User } from "./auth/users.js";
import { type Body, BodyReader } from "./http/body.js";
import { clientAddress, connectionOf } from "./http/connection.js";
import { ClientGone, HttpFault } from "./http/fault.js";
import { bodyOf, bytesIn } from "./http/parts.js";
import { QueryArguments } from "./http/query-arguments.js";
import { storageFault } from "./http/storage-fault.js";
import { openApiResource } from "./openapi/document.js";
import { administrationResources } from "./resources/administration.js";
import { confdResources } from "./resources/confd.js";
import { eventResources } from "./resources/events.js";
import { onNodeResources } from "./resources/on-nodes.js";
import { healthResource, metricsResource, ownResources } from "./resources/own.js";
import { planningResources } from "./resources/planning.js";
import { practiceResources } from "./resources/practice.js";
import {
  type Answer,
  type Call,
  type Method,
  type MethodName,
  Rendered,
  type Resource,
  Streamed,
  Written,
} from "./resources/resource.js";
import { resources } from "./resources/table.js";
import type { World } from "./world.js";

/** Properties of the socket of a request. */
export interface Env {
  readonly Bindings: {
    readonly incoming?: IncomingMessage;
    /** It came by the local socket. */
    readonly local?: boolean;
  };
}

/** Patterns of the variable parts of paths. No job has a number that is longer, and is not exact any more. */
const parts: Readonly<Record<string, string>> = { job: "\\d{1,15}", disk: "\\d+" };
const namePart = "[\\w._-]+";

/** All that the server answers, in the order of its description. */
function allResources(world: World): readonly Resource[] {
  const described = [
    ...resources,
    ...ownResources,
    ...administrationResources,
    ...confdResources,
    ...onNodeResources,
    ...planningResources,
    ...practiceResources,
    ...eventResources,
    healthResource,
    metricsResource(world.settings.publicMetrics ? "anybody" : "read"),
  ];
  return [...described, openApiResource(described)];
}

export function createServer(world: World): Hono<Env> {
  // A slash at the end of a path means nothing. One regular expression finds the resource, whichever
  // it is; that wants paths of which no two fit the same request.
  const app = new Hono<Env>({ strict: false, router: new RegExpRouter() });
  // The owner's bodies, too, have room of their own.
  const bodies = {
    port: new BodyReader(world.settings.bodies),
    socket: new BodyReader(world.settings.bodies),
  };
  for (const resource of allResources(world)) {
    const path = resource.path.replace(
      /\{(\w+)\}/g,
      (_, part) => `:${part}{${parts[part] ?? namePart}}`,
    );
    app.all(path, (context) =>
      answered(world, context, resource.path, () => respond(world, bodies, context, resource)),
    );
  }
  app.notFound((context) =>
    answered(world, context, "", async () => {
      if (world.settings.requireAuthentication) authorize(userOf(world, context), "anybody", true);
      throw new HttpFault(404);
    }),
  );
  return app;
}

/** Method, then user, then body; only then a place among the requests that are worked on. */
async function respond(
  world: World,
  bodies: Readonly<Record<"port" | "socket", BodyReader>>,
  context: Context<Env>,
  { path, methods }: Resource,
): Promise<Answer> {
  const { req, env } = context;
  const { requireAuthentication } = world.settings;
  const method = Object.hasOwn(methods, req.method)
    ? (methods[req.method as MethodName] as Method)
    : undefined;
  if (method === undefined) {
    if (requireAuthentication) authorize(userOf(world, context), "anybody", true);
    throw new HttpFault(501, `Method ${req.method} is unsupported for path ${req.path}`);
  }
  const open = path === "/healthz" || path === "/openapi.json";
  const user = open ? undefined : userOf(world, context);
  authorize(user, method.access, requireAuthentication && !open);
  const incoming = env?.incoming;
  const way = env?.local ? "socket" : "port";
  const client = user === undefined ? addressOf(incoming) : `user ${user.name}`;
  const body = await bodies[way].read({
    incoming,
    request: req.raw,
    client,
    isLong: method.longBody,
  });
  const work = async () => method.handle(callOf(context, user, body), world);
  try {
    if (method.waits) return await work();
    const connection = connectionOf(incoming, req.raw);
    return await world.gates[way].pass({ client, connection }, work);
  } finally {
    body.drop();
  }
}

const addressOf = (incoming: IncomingMessage | undefined): string =>
  `address ${clientAddress(incoming?.socket.remoteAddress)}`;

function callOf({ req }: Context<Env>, user: User | undefined, body: Body): Call {
  const at = req.url.indexOf("?");
  return {
    path: req.path,
    names: req.param() as Record<string, string>,
    query: new QueryArguments(at < 0 ? "" : req.url.slice(at + 1)),
    body: body.parse(),
    user,
    header: (name) => req.header(name),
    // Made only for those who look at it.
    get signal() {
      return req.raw.signal;
    },
  };
}

const userOf = ({ users }: World, { req, env }: Context<Env>): User | undefined =>
  env?.local ? localUser : authenticate(req.header("authorization"), users);

/** The answer or the fault as a response, counted and logged. */
async function answered(
  { log, metrics }: World,
  context: Context<Env>,
  path: string,
  handle: () => Promise<Answer>,
): Promise<Response> {
  const { method } = context.req;
  const common = commonHeaders(path, context.env?.incoming);
  const start = performance.now();
  let response: Response;
  let problem: unknown;
  try {
    response = responseOf(await handle(), common);
  } catch (error) {
    problem = error;
    const fault =
      error instanceof HttpFault ? error : (storageFault(error) ?? new HttpFault(500, undefined));
    response = new Response(fault.body, {
      status: fault.status,
      headers: { ...common, "content-type": "application/json", ...fault.headers },
    });
  }
  const { status } = response;
  const seconds = (performance.now() - start) / 1000;
  metrics.answered(method, path, status, seconds);
  // The query may hold anything; the path of an unknown resource as well.
  const facts = { method, path: context.req.path.slice(0, 500), status, seconds };
  if (problem instanceof ClientGone || isReasonOf(context.req.raw.signal, problem)) {
    log.debug(facts, "the client went away");
  } else if (status >= 500 && !(problem instanceof HttpFault)) {
    // Refusals with any status are no errors of the server: the client is informed.
    log.error({ ...facts, error: problem }, "request failed");
  } else log.debug(facts, "request");
  return response;
}

const isReasonOf = ({ aborted, reason }: AbortSignal, problem: unknown): boolean =>
  aborted && problem === reason;

/** Answers that are the same for all clients and contain nothing about the cluster. */
const publicPaths: ReadonlySet<string> = new Set(["/", "/version", "/2/features", "/openapi.json"]);

const aYearSeconds = 31_536_000;

type Headers = Readonly<Record<string, string>>;

/** Browsers guess no types, keep nothing of the cluster, and come back with TLS only. */
function commonHeaders(path: string, incoming: IncomingMessage | undefined): Headers {
  const isEncrypted = incoming !== undefined && "encrypted" in incoming.socket;
  return {
    "x-content-type-options": "nosniff",
    ...(publicPaths.has(path) ? {} : { "cache-control": "no-store" }),
    ...(isEncrypted ? { "strict-transport-security": `max-age=${aYearSeconds}` } : {}),
  };
}

function responseOf(answer: Answer, common: Headers): Response {
  if (answer instanceof Streamed) {
    const headers = { ...common, "content-type": answer.type };
    return new Response(answer.stream, { headers });
  }
  if (answer instanceof Written) {
    const { parts } = answer;
    const headers = {
      ...common,
      "content-type": "application/json",
      "content-length": String(bytesIn(parts)),
    };
    return new Response(bodyOf(parts), { headers });
  }
  const { text, type } =
    answer instanceof Rendered ? answer : new Rendered(`${writeJson(answer)}\n`);
  return new Response(text, { headers: { ...common, "content-type": type } });
}
