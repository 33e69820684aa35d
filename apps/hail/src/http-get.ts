/** A single HTTP GET request; a separate module, so that `node:http` loads only if a daemon is queried. */
import { get } from "node:http";

/** Time limit (ms): a running daemon answers immediately, a slower one counts as unreachable. */
const patienceMs = 10_000;

/** Size limit of an answer; reports are smaller. */
const bytesMax = 16 * 1024 * 1024;

/** The body of an answer with a status below 400; undefined otherwise. Never rejects. */
export const httpGet = (url: string, timeoutMs = patienceMs): Promise<string | undefined> =>
  new Promise((resolve) => {
    const fail = () => resolve(undefined);
    if (!URL.canParse(url)) return fail();
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) });
    request.on("error", fail).on("response", (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > bytesMax) request.destroy();
      });
      response.on("end", () => {
        const isGood = (response.statusCode ?? 0) < 400;
        resolve(isGood ? Buffer.concat(chunks).toString() : undefined);
      });
      response.on("error", fail).on("close", fail);
    });
  });
