/** The folder of this package, as a URL: the same from the sources in `src` as from the bundle in `dist`. */
export const ownFolder = new URL("..", import.meta.url);
