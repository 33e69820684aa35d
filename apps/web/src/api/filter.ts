/** A filter in Ganeti's query syntax as the server takes it; the parser is loaded when it is first needed. */

/** Null for an empty text. @throws Error that describes the mistake */
export async function filterOf(text: string): Promise<unknown> {
  if (text.trim() === "") return null;
  const { parseFilter } = await import("@ganeti-ts/query");
  return parseFilter(text);
}
