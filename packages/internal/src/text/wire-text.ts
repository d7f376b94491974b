import { escapeForJson, HIDDEN_CHARACTER } from './hidden-characters.js';

/**
 * JSON that says the same to a parser, and that no terminal obeys and no reader overlooks: what does not show is
 * written as an escape.
 */
export function toWireText(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_CHARACTER, escapeForJson);
}
