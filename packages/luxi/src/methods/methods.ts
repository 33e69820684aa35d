/** All methods of the protocol, by their names on the wire. */
import type * as z from "zod";
import type { Parameters } from "./define.js";
import { jobMethods } from "./job-methods.js";
import { queryMethods } from "./query-methods.js";

/** Definitions of all methods by name. */
export const luxiMethods = { ...jobMethods, ...queryMethods };

/** Name of a method. */
export type MethodName = keyof typeof luxiMethods;

/** The arguments of a method, by name. */
export type Arguments<M extends MethodName> = ArgumentsOf<(typeof luxiMethods)[M]["parameters"]>;

type ArgumentsOf<P extends Parameters> = { readonly [Name in keyof P]: z.output<P[Name]> };

/** Answer of a method. */
export type Result<M extends MethodName> = z.output<(typeof luxiMethods)[M]["result"]>;

export const isMethodName = (name: unknown): name is MethodName =>
  typeof name === "string" && Object.hasOwn(luxiMethods, name);
