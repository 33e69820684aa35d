/** Links that contain a small cluster: its compressed text after `#cluster=`. */

/** Longest link that browsers and mail programs pass on reliably, in characters. */
const linkLengthMax = 32_000;

const marker = "#cluster=";

/** The part of a link that carries a cluster; undefined if it would be too long. */
export async function linkPart(text: string): Promise<string | undefined> {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const part = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return part.length > linkLengthMax ? undefined : `${marker}${part}`;
}

/** Text of the cluster in a link; undefined if the link has none. @throws Error for a damaged link */
export async function textInLink(hash: string): Promise<string | undefined> {
  if (!hash.startsWith(marker)) return undefined;
  const part = hash.slice(marker.length).replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
  } catch {
    throw new Error("the link is damaged: ask for it again, or for the text file");
  }
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
