import { escapeHidden } from './hidden-characters.js';

/** Foreign text as it may stand in a message: quoted, with escapes for all that does not show, cut. */
export function quote(text: string): string {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return escapeHidden(JSON.stringify(shown));
}
