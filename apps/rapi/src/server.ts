/** createServer: the API as a function of its world: takes requests and returns answers, without sockets. */
import type { IncomingMessage } from "node:http";
import { writeJson } from "@ganeti-ts/protocol";
import { type Context, Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { actingAs } from "./audit/acting.js";
import { type Actor, localActor } from "./audit/recorder.js";
import { authenticate, authorize, localUser } from "./auth/authenticate.js";
import type { User } from "./auth/users.js";
import { type Body, BodyReader } from "./http/body.js";
import { connectionOf } from "./http/connection.js";
import { ClientGone, HttpFault } from "./http/fault.js";
import { bodyOf, bytesIn, streamOf } from "./http/parts.js";
import { QueryArguments } from "./http/query-arguments.js";
import { type Remote, remoteOf } from "./http/remote.js";
import { storageFault } from "./http/storage-fault.js";
import { GrowingParts } from "./lists/growing-parts.js";
import { openApiResource } from "./openapi/document.js";
import { administrationResources } from "./resources/administration.js";
import { auditResources } from "./resources/audit.js";
import { confdResources } from "./resources/confd.js";
import { consoleResources } from "./resources/consoles.js";
import { eventResources } from "./resources/events.js";
import { movePlanResources } from "./resources/move-plans.js";
import { onNodeResources } from "./resources/on-nodes.js";
import { healthResource, metricsResource, ownResources } from "./resources/own.js";
import { pageResources } from "./resources/pages.js";
import { planningResources } from "./resources/planning.js";
import { practiceResources } from "./resources/practice.js";
import {
  type Answer,
  type Call,
  type Method,
  type MethodName,
  Redirect,
  Rendered,
  type Resource,
  Streamed,
  Written,
} from "./resources/resource.js";
import { ruleResources } from "./resources/rule-effects.js";
import { resources } from "./resources/table.js";
import { sessionAnswer, uiPaths, uiResponse, whoamiResource } from "./serve-ui.js";
import { cookieIn, pageHeader, requireOwnPage } from "./ui/session.js";
import type { World } from "./world.js";

/** Properties of the socket of a request. */
export interface Env {
  readonly Bindings: {
    readonly incoming?: IncomingMessage;
    /** Whether the request came over the local socket. */
    readonly local?: boolean;
  };
}

/** Patterns of the variable parts of paths. Longer job numbers do not exist, and would not be exact. */
const parts: Readonly<Record<string, string>> = { job: "\\d{1,15}", disk: "\\d+" };
const namePart = "[\\w._-]+";

/** All resources of the server, in the order of its description. */
function allResources(world: World): readonly Resource[] {
  const described = [
    ...resources,
    ...ownResources,
    ...pageResources,
    ...ruleResources,
    ...auditResources,
    ...administrationResources,
    ...confdResources,
    ...onNodeResources,
    ...planningResources,
    ...movePlanResources,
    ...practiceResources,
    ...consoleResources,
    ...eventResources,
    whoamiResource,
    healthResource,
    metricsResource(world.settings.publicMetrics ? "anybody" : "read"),
  ];
  return [...described, openApiResource(described)];
}

export function createServer(world: World): Hono<Env> {
  // A slash at the end of a path is ignored. One regular expression finds all resources, which requires
  // that no two paths match the same request.
  const app = new Hono<Env>({ strict: false, router: new RegExpRouter() });
  // Bodies of the owner's local socket have a limit of their own.
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
      const [, uiPath] = uiPaths.exec(context.req.path) ?? [undefined, undefined];
      if (context.req.path === "/ui/session") return session(world, bodies, context);
      if (uiPaths.test(context.req.path)) return uiResponse(world, context.req.raw, uiPath ?? "");
      if (world.settings.requireAuthentication) {
        authorize(await userOf(world, context), "anybody", true);
      }
      throw new HttpFault(404);
    }),
  );
  return app;
}

/** Checks method, user and body in this order; only then the request takes a place among the running ones. */
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
    if (requireAuthentication) authorize(await userOf(world, context), "anybody", true);
    throw new HttpFault(501, `Method ${req.method} is unsupported for path ${req.path}`);
  }
  const open = path === "/healthz" || path === "/openapi.json";
  const user = open ? undefined : await userOf(world, context);
  // Methods that submit jobs change the cluster, even if they are a GET.
  const isChange = req.method !== "GET" || method.opcodes !== undefined;
  if (!open && isChange && hasSession(context)) requireOwnPage((name) => req.header(name));
  // The start page is public, because it links to the login.
  const isPublic = open || path === "/" || (path === "/metrics" && world.settings.publicMetrics);
  authorize(user, method.access, requireAuthentication && !isPublic);
  if (world.refusal !== undefined && changes(req.method, method)) {
    throw new HttpFault(403, world.refusal);
  }
  const incoming = env?.incoming;
  const way = env?.local ? "socket" : "port";
  const remote = remoteFor(world, context);
  const client = user === undefined ? `address ${remote.client}` : `user ${user.name}`;
  const body = await bodies[way].read({
    incoming,
    request: req.raw,
    client,
    isLong: method.longBody,
  });
  const own = isChange && world.refusal === undefined ? actingWorld(world, user, remote) : world;
  const work = async () => method.handle(callOf(context, user, body), own);
  try {
    if (method.waits) return await work();
    const connection = connectionOf(incoming, req.raw);
    return await new Promise<Answer>((resolve, reject) => {
      let isGiven = false;
      const passed = world.gates[way].pass({ client, connection }, async () => {
        const answer = await work();
        isGiven = true;
        resolve(answer);
        // A list that is still growing keeps the place.
        if (answer instanceof Written) await answer.isMade;
      });
      passed.catch((error) => {
        if (!isGiven) reject(error);
        else if (!(error instanceof ClientGone))
          world.log.error({ path, error }, "list is cut off");
      });
    });
  } finally {
    body.drop();
  }
}

/** Whether a method may change something; planning is a POST without effects. */
const changes = (name: string, { opcodes, access }: Method): boolean =>
  opcodes !== undefined || (name !== "GET" && access !== "read" && access !== "anybody");

const remoteFor = ({ settings }: World, { req, env }: Context<Env>): Remote =>
  remoteOf(env?.incoming?.socket.remoteAddress, req.header("x-forwarded-for"), settings.proxies);

/** The world of one request: its jobs and rules name the user, and its other actions are recorded. */
function actingWorld(world: World, user: User | undefined, { address }: Remote): World {
  const actor: Actor = user === localUser ? localActor : { user: user?.name ?? null, address };
  return { ...world, ...actingAs(actor, world) };
}

/** Time (ms) after which streams of a session end, so that the page reconnects and is checked again. */
const sessionStreamMs = 5 * 60_000;

function callOf(context: Context<Env>, user: User | undefined, body: Body): Call {
  const { req } = context;
  const isOfSession = hasSession(context);
  const at = req.url.indexOf("?");
  return {
    path: req.path,
    names: req.param() as Record<string, string>,
    query: new QueryArguments(at < 0 ? "" : req.url.slice(at + 1)),
    body: body.parse(),
    user,
    header: (name) => req.header(name),
    // Created on demand.
    get signal() {
      return isOfSession
        ? AbortSignal.any([req.raw.signal, AbortSignal.timeout(sessionStreamMs)])
        : req.raw.signal;
    },
  };
}

/** The user of the request's credentials, or without any, of the page's session. */
async function userOf(world: World, context: Context<Env>): Promise<User | undefined> {
  const { req, env } = context;
  if (env?.local) return localUser;
  const authorization = req.header("authorization");
  const cookie = authorization === undefined ? cookieIn(req.header("cookie")) : undefined;
  if (cookie !== undefined) return world.sessions.user(cookie);
  return authenticate(authorization, (name, password) =>
    world.logins.verify(name, password, remoteFor(world, context)),
  );
}

const hasSession = ({ req, env }: Context<Env>): boolean =>
  !env?.local &&
  req.header("authorization") === undefined &&
  cookieIn(req.header("cookie")) !== undefined;

/** Begins or ends a session of the page. */
async function session(
  world: World,
  bodies: Readonly<Record<"port" | "socket", BodyReader>>,
  context: Context<Env>,
): Promise<Response> {
  const { req, env } = context;
  const remote = remoteFor(world, context);
  const { incoming } = env ?? {};
  const client = `address ${remote.client}`;
  const body = await bodies.port.read({ incoming, request: req.raw, client });
  const parsed = { body: body.parse(), remote };
  const { answer, cookie } = await sessionAnswer(world, req.raw, parsed);
  const headers = { "content-type": "application/json", "set-cookie": cookie };
  return new Response(`${writeJson(answer)}\n`, { headers });
}

/** Headers of a fault. Requests of the page get no challenge, for which browsers would show a dialog. */
function faultHeaders({ req }: Context<Env>, { headers }: HttpFault): Headers {
  const isOfPage =
    req.header(pageHeader) !== undefined || cookieIn(req.header("cookie")) !== undefined;
  const { "WWW-Authenticate": challenge, ...others } = headers;
  return isOfPage || challenge === undefined ? others : headers;
}

/** Header with a renewed cookie, if the user of the session is active. */
function renewal({ sessions }: World, context: Context<Env>): Headers {
  if (context.req.header(pageHeader) !== "active" || !hasSession(context)) return {};
  const cookie = sessions.renewed(cookieIn(context.req.header("cookie")) as string);
  return cookie === undefined ? {} : { "set-cookie": cookie };
}

/** The answer or the fault as a response, counted and logged. */
async function answered(
  world: World,
  context: Context<Env>,
  path: string,
  handle: () => Promise<Answer | Response>,
): Promise<Response> {
  const { log, metrics } = world;
  const { method } = context.req;
  const common = commonHeaders(path, context.env?.incoming, world.note);
  const start = performance.now();
  let response: Response;
  let problem: unknown;
  try {
    const answer = await handle();
    response =
      answer instanceof Response
        ? withCommon(answer, common)
        : responseOf(answer, { ...common, ...renewal(world, context) });
  } catch (error) {
    problem = error;
    const fault =
      error instanceof HttpFault ? error : (storageFault(error) ?? new HttpFault(500, undefined));
    response = new Response(fault.body, {
      status: fault.status,
      headers: { ...common, "content-type": "application/json", ...faultHeaders(context, fault) },
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
    // A refusal is not an error of the server, whatever its status, because the client is informed.
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

/** Headers that forbid browsers to guess types, to cache answers, and to return without TLS. */
function commonHeaders(
  path: string,
  incoming: IncomingMessage | undefined,
  note: string | undefined,
): Headers {
  const isEncrypted = incoming !== undefined && "encrypted" in incoming.socket;
  return {
    "x-content-type-options": "nosniff",
    ...(publicPaths.has(path) ? {} : { "cache-control": "no-store" }),
    ...(note === undefined ? {} : { "x-ganeti-ts-note": note }),
    ...(isEncrypted ? { "strict-transport-security": `max-age=${aYearSeconds}` } : {}),
  };
}

/** Adds common headers; those of the response take precedence. */
function withCommon(response: Response, common: Headers): Response {
  for (const [name, value] of Object.entries(common)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

function responseOf(answer: Answer, common: Headers): Response {
  if (answer instanceof Streamed) {
    const headers = { "content-type": answer.type, ...common };
    return new Response(answer.stream, { headers });
  }
  if (answer instanceof Redirect) {
    return new Response(null, { status: 302, headers: { ...common, location: answer.path } });
  }
  if (answer instanceof Written) {
    const headers = { "content-type": "application/json", ...common };
    const { parts } = answer;
    const known = parts instanceof GrowingParts ? parts.parts : parts;
    // The length of a list that is still growing is not known yet.
    if (known === undefined) return new Response(streamOf(parts), { headers });
    return new Response(bodyOf(known), {
      headers: { ...headers, "content-length": String(bytesIn(known)) },
    });
  }
  const { text, type } =
    answer instanceof Rendered ? answer : new Rendered(`${writeJson(answer)}\n`);
  return new Response(text, { headers: { "content-type": type, ...common } });
}
