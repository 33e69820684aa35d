/** Colours for errors and warnings among a job's messages, on a terminal with colours. */

const colours: Readonly<Record<string, number>> = { ERROR: 31, WARNING: 33 };

/** Colours from `- ERROR` or `- WARNING` to the end of the line; other lines stay unchanged. */
export const painted = (line: string): string =>
  line.replace(/- (ERROR|WARNING)\b.*$/, (finding, kind: string) => {
    return `\x1b[${colours[kind]}m${finding}\x1b[0m`;
  });
