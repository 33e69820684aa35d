/** Resource: a path, and for each method its input, output and handler. */
import type { Json, OpcodeId } from "@ganeti-ts/protocol";
import type * as z from "zod";
import type { Access } from "../auth/authenticate.js";
import type { User } from "../auth/users.js";
import type { QueryArguments } from "../http/query-arguments.js";
import { GrowingParts } from "../lists/growing-parts.js";
import type { World } from "../world.js";

export type MethodName = "GET" | "PUT" | "POST" | "DELETE";

/** A request whose path, user and body are valid. */
export interface Call {
  readonly path: string;
  /** The variable parts of the path. */
  readonly names: Readonly<Record<string, string>>;
  readonly query: QueryArguments;
  /** Undefined without a body; null is a body. */
  readonly body: Json | undefined;
  readonly user: User | undefined;
  /** Headers of the request; names in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** An answer whose text is complete. */
export class Rendered {
  /** JSON with a final newline, unless `type` says otherwise. */
  readonly text: string;
  readonly type: string;

  constructor(text: string, type = "application/json") {
    this.text = text;
    this.type = type;
  }
}

/** An answer in bytes, complete or still being rendered: JSON with a final newline. */
export class Written {
  readonly parts: readonly Uint8Array[] | GrowingParts;

  constructor(parts: readonly Uint8Array[] | GrowingParts) {
    this.parts = parts;
  }

  /** Resolves when all bytes are rendered. */
  get isMade(): Promise<unknown> | undefined {
    return this.parts instanceof GrowingParts ? this.parts.whole : undefined;
  }
}

/** An answer that is sent piece by piece: server-sent events. */
export class Streamed {
  readonly stream: ReadableStream<Uint8Array>;
  readonly type: string;

  constructor(stream: ReadableStream<Uint8Array>, type: string) {
    this.stream = stream;
    this.type = type;
  }
}

/** An answer that redirects a browser to another path of this server. */
export class Redirect {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

export type Answer = Json | Rendered | Written | Streamed | Redirect;

/** A body that is an opcode's parameters. */
export interface OpcodeBody {
  readonly id: OpcodeId;
  /** Parameters that come from path and query. */
  readonly without: readonly string[];
  /** Alternative names, with those of the parameters. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Keys of the body that are not parameters. */
  readonly besides?: Readonly<Record<string, z.ZodType>>;
}

export interface Method {
  /** One line, for the description of the API. */
  readonly summary: string;
  readonly access: Access;
  /** Names of query arguments, each with one line about it. */
  readonly query?: Readonly<Record<string, string>>;
  /** Schema of the body; absent if bodies are ignored. */
  readonly body?: z.ZodType;
  readonly opcodeBody?: OpcodeBody;
  /** Whether the body may contain long lists: of jobs, instances, names or bytes. */
  readonly longBody?: true;
  readonly answer: z.ZodType;
  /** Type of the answer; JSON if absent. */
  readonly mediaType?: string;
  /** Opcodes of a method that submits a job. */
  readonly opcodes?: readonly OpcodeId[];
  /** Whether the method takes no place among the running requests, because it mostly waits. */
  readonly waits?: true;
  readonly handle: (call: Call, world: World) => Promise<Answer> | Answer;
}

export interface Resource {
  /** Variable parts are in braces: `/2/nodes/{node}/role`. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<MethodName, Method>>>;
}

type Methods = Partial<Record<MethodName, Method | ((path: string) => Method)>>;

/** A resource, some of whose methods depend on its path. */
export const resource = (path: string, methods: Methods): Resource => ({
  path,
  methods: Object.fromEntries(
    Object.entries(methods).map(([name, one]) => [
      name,
      typeof one === "function" ? one(path) : one,
    ]),
  ),
});
