/** URL of this package's folder, for the sources in `src` as well as for the bundle in `dist`. */
export const ownFolder = new URL("..", import.meta.url);
