import type { TextContent } from '@x/internal/contracts';

const notes = new WeakSet<object>();

/** A text of this package, not of a tool. */
export function ownNote(text: string): TextContent {
  const block = { type: 'text', text } as const;
  notes.add(block);
  return block;
}

export function isOwnNote(block: object): boolean {
  return notes.has(block);
}
