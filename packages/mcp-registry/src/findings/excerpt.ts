import { escapeHidden } from '../catalog/hidden-characters.js';

const BEFORE = 20;
const LENGTH = 100;

/** The place in a text that a finding is about, safe to print. */
export function excerptAt(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const cut = text.slice(start, start + LENGTH);
  return `${start > 0 ? '…' : ''}${escapeHidden(cut)}${start + LENGTH < text.length ? '…' : ''}`;
}
