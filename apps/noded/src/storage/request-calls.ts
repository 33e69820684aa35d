/** eachRequest: handlers whose state lasts for one request. */

type AnyHandler = (...args: never[]) => Promise<unknown>;

/** Calls `make` for each request, so that requests do not share cached lookups. */
export function eachRequest<Calls extends object>(make: () => Calls): Calls {
  const handlers = Object.keys(make()).map((name) => {
    const handler = (...args: never[]) => (make()[name as keyof Calls] as AnyHandler)(...args);
    return [name, handler];
  });
  return Object.fromEntries(handlers) as Calls;
}
