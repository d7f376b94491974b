export { compareText } from './text/compare-text.js';
export { escapeCharacter, escapeForJson, escapeHidden, HIDDEN_CHARACTER } from './text/hidden-characters.js';
export { printable, quoted } from './text/printable.js';
export { quote } from './text/quote.js';
export type { TextRange } from './text/text-range.js';
export { toWireText } from './text/wire-text.js';
