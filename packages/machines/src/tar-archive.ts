/** tarArchive: a tar archive in memory, so that secrets for another machine are never in a temporary file. */

export interface ArchivedFile {
  /** Path relative to the root of the target, at most 100 bytes. */
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode: number;
}

const blockSize = 512;

/** Packs files, owned by root, in the given order. Directories have no entries; tar creates missing ones. */
export function tarArchive(files: readonly ArchivedFile[], now: number): Buffer {
  const parts = files.flatMap((file) => {
    const content = Buffer.from(file.content as Uint8Array);
    const rest = (blockSize - (content.length % blockSize)) % blockSize;
    return [headerOf(file, content.length, now), content, Buffer.alloc(rest)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}

function headerOf({ path, mode }: ArchivedFile, size: number, now: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`too long for an archive: ${path}`);
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(path, 0);
  header.write(octal(mode & 0o7777, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(Math.floor(now / 1000), 11), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}
