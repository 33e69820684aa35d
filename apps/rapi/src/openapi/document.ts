/** OpenAPI 3.1 description of the API, made from the same table and schemas that answer requests. */
import { opcodeCatalog } from "@ganeti-ts/protocol";
import * as z from "zod";
import { type Method, type OpcodeBody, Rendered, type Resource } from "../resources/resource.js";

type Schema = { readonly [key: string]: unknown };

/** `/openapi.json`, rendered on first use, because few clients request it. */
export function openApiResource(described: readonly Resource[]): Resource {
  let text: string | undefined;
  const self: Resource = {
    path: "/openapi.json",
    methods: {
      GET: {
        summary: "This description",
        access: "anybody",
        answer: z.looseObject({ openapi: z.string() }),
        handle: () => {
          text ??= `${JSON.stringify(openApiDocument([...described, self]))}\n`;
          return new Rendered(text);
        },
      },
    },
  };
  return self;
}

function openApiDocument(resources: readonly Resource[]): Schema {
  return {
    openapi: "3.1.0",
    info: {
      title: "Ganeti remote API",
      version: "2",
      description:
        "Version 2 of Ganeti's remote API, and below /ganeti-ts/ what this server has beside it. " +
        "Whatever submits a job answers with its id.",
    },
    paths: Object.fromEntries(resources.map((one) => [one.path, pathItem(one)])),
    components: {
      securitySchemes: { basic: { type: "http", scheme: "basic" } },
      schemas: { Fault: faultSchema },
      responses: {
        Fault: {
          description: "Why not",
          content: json({ $ref: "#/components/schemas/Fault" }),
        },
      },
    },
  };
}

const faultSchema = {
  type: "object",
  required: ["code", "message", "explain"],
  properties: {
    code: { type: "integer", description: "The status" },
    message: {
      type: "string",
      description: "What is wrong, escaped as if it were put into a page",
    },
    explain: { type: "string", description: "What the status means" },
  },
};

function pathItem({ path, methods }: Resource): Schema {
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: name === "job" || name === "disk" ? { type: "integer" } : { type: "string" },
  }));
  return {
    ...(parts.length > 0 ? { parameters: parts } : {}),
    ...Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name.toLowerCase(),
        operation(`${name} ${path}`, method),
      ]),
    ),
  };
}

function operation(id: string, method: Method): Schema {
  const body = bodySchema(method);
  return {
    operationId: id.toLowerCase().replace(/[^a-z0-9]+/g, "_"),
    summary: method.summary,
    ...(method.opcodes === undefined ? {} : { "x-opcodes": method.opcodes }),
    security: method.access === "anybody" ? [{}, { basic: [] }] : [{ basic: [method.access] }],
    parameters: Object.entries(method.query ?? {}).map(([name, description]) => ({
      name,
      in: "query",
      description,
      schema: { type: "string" },
    })),
    ...(body === undefined ? {} : { requestBody: { content: json(body) } }),
    responses: {
      200: { description: "Done", content: answerContent(method) },
      default: { $ref: "#/components/responses/Fault" },
    },
  };
}

const answerContent = ({ answer, mediaType = "application/json" }: Method): Schema => ({
  [mediaType]: { schema: schemaOf(answer, "output") },
});

function bodySchema({ body, opcodeBody }: Method): Schema | undefined {
  if (body !== undefined) {
    const schema = schemaOf(body, "input");
    // A schema with a preprocessing step is described by its result; keys with defaults may be
    // missing.
    return Object.keys(schema).length > 0 ? schema : withoutDefaults(schemaOf(body, "output"));
  }
  return opcodeBody === undefined ? undefined : opcodeSchema(opcodeBody);
}

function withoutDefaults(schema: Schema): Schema {
  const { properties, required } = schema as Partial<ObjectSchema>;
  return {
    ...schema,
    required: required?.filter((name) => !("default" in (properties?.[name] ?? {}))),
  };
}

interface ObjectSchema {
  readonly properties: Record<string, object>;
  readonly required?: readonly string[];
}

/**
 * Parameters of an opcode in a body: without those from path and query, and with their older names. A
 * required parameter may be given by either name.
 */
function opcodeSchema({ id, without, rename = {}, besides = {} }: OpcodeBody): Schema {
  const {
    properties = {},
    required,
    ...rest
  } = schemaOf(opcodeCatalog[id].schema, "input") as Partial<ObjectSchema>;
  const left = Object.entries(properties).filter(
    ([name]) => !["OP_ID", "reason", ...without].includes(name),
  );
  const older = Object.entries(rename).flatMap(([old, name]) =>
    properties[name] === undefined ? [] : [[old, properties[name]] as const],
  );
  const needed = (required ?? []).filter((one) => left.some(([name]) => name === one));
  const olderOf = (name: string) => older.find(([old]) => rename[old] === name)?.[0];
  const either = needed.flatMap((name) => {
    const old = olderOf(name);
    return old === undefined ? [] : [{ anyOf: [{ required: [name] }, { required: [old] }] }];
  });
  return {
    ...rest,
    properties: Object.fromEntries([
      ...left,
      ...older,
      ...Object.entries(besides).map(([name, schema]) => [name, schemaOf(schema, "input")]),
    ]),
    required: needed.filter((name) => olderOf(name) === undefined),
    ...(either.length > 0 ? { allOf: either } : {}),
  };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as Schema;
}

const json = (schema: Schema): Schema => ({ "application/json": { schema } });
