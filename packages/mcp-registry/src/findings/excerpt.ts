import { escapeHidden } from '@x/internal/text';

const BEFORE = 20;
const LENGTH = 100;

/** The text around a finding, safe to print. Redacted before the cut, because half a secret is not found. */
export function redactedExcerpt(text: string, place: number, redact: (text: string) => string): string {
  const shown = redact(text);
  return excerptAt(shown, shown === text ? place : Math.min(redact(text.slice(0, place)).length, shown.length));
}

function excerptAt(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const cut = text.slice(start, start + LENGTH);
  return `${start > 0 ? '…' : ''}${escapeHidden(cut)}${start + LENGTH < text.length ? '…' : ''}`;
}
