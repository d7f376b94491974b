import { escapeForJson, HIDDEN_CHARACTER } from './hidden-characters.js';

/**
 * JSON of the same value, with escapes for all hidden characters, so that no terminal obeys and no reader overlooks
 * one.
 */
export function toWireText(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_CHARACTER, escapeForJson);
}
