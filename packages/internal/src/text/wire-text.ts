import { escapeForJson, HIDDEN_CHARACTER } from './hidden-characters.js';

/** JSON of a value, with escapes for all hidden characters. */
export function toWireText(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_CHARACTER, escapeForJson);
}
