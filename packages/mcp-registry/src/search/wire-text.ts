import { HIDDEN_CHARACTER } from '../catalog/hidden-characters.js';

/**
 * JSON that says the same to a parser, and that no terminal obeys and no reader overlooks: what does not show is
 * written as an escape.
 */
export function toWireText(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_CHARACTER, (character) =>
    // JSON knows escapes of four digits only, so that a character may need two.
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
