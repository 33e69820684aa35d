/** Replacement for the package string-width in yargs, which uses it only to lay out help. */
const plainWidth = (text: string): number => text.length;

export default plainWidth;
