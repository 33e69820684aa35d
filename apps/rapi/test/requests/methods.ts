/** Every method of every resource, from the API's description. */
import type { JsonObject } from "@ganeti-ts/protocol";

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: object }>>;

export interface Method {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Those that read first and removals last, so that every requested object exists. */
export const methodsIn = ({ paths }: JsonObject): readonly Method[] =>
  ["get", "put", "post", "delete"].flatMap((method) =>
    Object.entries(paths as JsonObject).flatMap(([path, item]) => {
      const operation = (item as JsonObject)[method] as unknown as Operation | undefined;
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );

/** The path with names in the places of `{instance}`, `{job}` and so on. */
export const pathWith = (path: string, nameOf: (place: string) => string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, place) => nameOf(place));
