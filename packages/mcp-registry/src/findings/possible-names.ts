import type { ToolText } from './tool-texts.js';

/** A word in prose that may be the name of a tool. */
export interface PossibleName {
  readonly word: string;
  readonly at: number;
  readonly text: ToolText;
}

/** `read_file`, `read-file` or `readFile`. Single words are too common. */
const NAME_OF_PARTS =
  /(?<![\w-])(?:_{0,3}[A-Za-z0-9]{1,40}(?:[_-]{1,3}[A-Za-z0-9]{1,40}){1,10}_{0,3}|[a-z0-9]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,10})(?![\w-])/g;

export function findPossibleNames(texts: readonly ToolText[]): readonly PossibleName[] {
  return texts.flatMap((text) => {
    if (!text.isProse) return [];
    return Array.from(text.text.matchAll(NAME_OF_PARTS), ({ 0: word, index: at }) => ({ word, at, text }));
  });
}
