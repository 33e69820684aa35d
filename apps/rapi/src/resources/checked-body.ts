/** checkedBody: the body of a request to a resource of our own, parsed by its schema. */
import type { Json } from "@ganeti-ts/protocol";
import type * as z from "zod";
import { HttpFault } from "../http/fault.js";

/** @throws HttpFault 400 with the first fault */
export function checkedBody<Schema extends z.ZodType>(
  schema: Schema,
  body: Json | undefined,
): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new HttpFault(400, `${issue?.path.join(" > ") || "body"}: ${issue?.message}`);
}
