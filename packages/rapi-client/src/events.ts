/** Server-sent events out of the bytes in which they come. */

/** | kind | data |
 * |---|---|
 * | `job` | a job that has changed: `id`, `status`, `summary`, `opstatus`; of more than 32 opcodes, the first 32, and `more`: how many of the others have each status |
 * | `config` | a commit of the configuration: `serial`, and `changes` by kind and UUID |
 * | `reset` | what is known is too old: read everything anew |
 */
export interface ServerEvent {
  /** To begin with after a break. */
  readonly id: string;
  readonly kind: string;
  readonly data: unknown;
}

/** Comments and events without data are left out; what is cut off at the end as well. */
export async function* serverEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of bytes) {
    text += decoder.decode(part, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() as string;
    for (const one of events) {
      const fields = new Map(one.split("\n").map(fieldOf));
      const data = fields.get("data");
      if (data === undefined) continue;
      yield {
        id: fields.get("id") ?? "",
        kind: fields.get("event") ?? "message",
        data: JSON.parse(data),
      };
    }
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}
