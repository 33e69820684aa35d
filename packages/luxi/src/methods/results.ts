/** Types of results that several methods share. */
import { JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import { AnyJson } from "./arguments.js";

/** Rows of plain values: null where there is no value. */
export const Rows = z.array(z.array(AnyJson).readonly()).readonly();

/** Whether a call on a job was carried out, and a text for people. */
export const Outcome = z.tuple([z.boolean(), z.string()]).readonly();

/** `[true, id]` of a job that was accepted, `[false, text]` of one that was not. */
export const Submission = z.union([
  z.tuple([z.literal(true), JobId]).readonly(),
  z.tuple([z.literal(false), z.string()]).readonly(),
]);

/** A field as `Query` and `QueryFields` describe it. */
const FieldDefinition = z
  .object({
    name: z.string(),
    title: z.string(),
    kind: z.enum(["unknown", "text", "bool", "number", "float", "unit", "timestamp", "other"]),
    doc: z.string(),
  })
  .readonly();

/**
 * `[status, value]`; the value is null unless the status is 0.
 *
 * | status | meaning |
 * |---|---|
 * | 0 | normal |
 * | 1 | the field is unknown |
 * | 2 | no data, for example because a node did not answer |
 * | 3 | not available for this item |
 * | 4 | the node is offline |
 */
const QueryCell = z.tuple([z.int().min(0).max(4), AnyJson]).readonly();

const Fields = z.array(FieldDefinition).readonly();
export const FieldList = z.object({ fields: Fields }).readonly();
export const QueryAnswer = z
  .object({ fields: Fields, data: z.array(z.array(QueryCell).readonly()).readonly() })
  .readonly();

/** `[serial, [seconds, microseconds], type, message]`; serials count over the whole job. */
const LogLine = z
  .tuple([z.int(), z.tuple([z.int(), z.int()]).readonly(), z.string(), AnyJson])
  .readonly();

/** Values of the fields asked for, and log entries after the serial given. */
export const JobChange = z.union([
  z.tuple([z.array(AnyJson).readonly(), z.array(LogLine).readonly()]).readonly(),
  /** Clients understand it; Ganeti's server sends the unchanged values instead. */
  z.literal("nochange"),
]);
