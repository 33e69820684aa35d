// Results of opcodes that do not succeed.
export const refused = (message: unknown, code: string) => ["OpPrereqError", [message, code]];
export const failed = (message: unknown) => ["OpExecError", [message]];
