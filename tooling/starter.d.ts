export function nodeCheck(name: string): string;
