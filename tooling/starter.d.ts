export function preamble(name: string): string;
