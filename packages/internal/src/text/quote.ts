import { escapeHidden } from './hidden-characters.js';

/** Foreign text for a message: quoted, cut, with escapes for hidden characters. */
export function quote(text: string): string {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return escapeHidden(JSON.stringify(shown));
}
