/** One HTTP request; a module of its own, so that `node:http` loads only when a daemon is asked. */
import { get } from "node:http";

/** A daemon that is there answers at once; one that takes longer counts as unreachable. */
const patienceMs = 10_000;

/** No report is larger. */
const bytesMax = 16 * 1024 * 1024;

/** The body of an answer with a status below 400; undefined if there is none. Never rejects. */
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
