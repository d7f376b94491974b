// Everything that can be imported from "@x/internal/text".
export { printable, quoted } from './text/printable.js';
export type { TextRange } from './text/text-range.js';
