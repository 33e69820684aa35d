/** Resolves after everything else that is ready to run. */
export const othersTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
