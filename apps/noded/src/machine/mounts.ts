/** The kernel's list of mounts. */

/** Paths of the mount points in the content of `/proc/mounts`, where special characters are octal escapes. */
export const mountPoints = (mounts: string): readonly string[] =>
  mounts.split("\n").flatMap((line) => {
    const [, path] = line.split(" ");
    if (path === undefined) return [];
    return [
      path.replaceAll(/\\([0-7]{3})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      ),
    ];
  });
