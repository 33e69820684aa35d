/** Parser for server-sent events. */

/** | kind | data |
 * |---|---|
 * | `job` | a job that has changed: `id`, `status`, `summary`, `opstatus`; for a job with more than 32 opcodes, the first 32, and `more`: the number of the others by status |
 * | `config` | a commit of the configuration: `serial`, and `changes` by kind and UUID |
 * | `rules` | filter rules or limits of the job queue may have changed: read them again |
 * | `reset` | the client's state is too old: read everything again |
 */
export interface ServerEvent {
  /** Start position after a disconnection. */
  readonly id: string;
  readonly kind: string;
  readonly data: unknown;
}

/** Skips comments, events without data, and an incomplete event at the end. */
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
