/** Stands for the package string-width where yargs wants it: it only lays out help, which is not its task here. */
const plainWidth = (text: string): number => text.length;

export default plainWidth;
