import type { ConfigLayer } from './config.js';

const strength: readonly ConfigLayer[] = ['explicit', 'project', 'user'];

export function isLayer(word: unknown): word is ConfigLayer {
  return strength.some((layer) => layer === word);
}

export function strongestFirst<Item extends { readonly layer: ConfigLayer }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => strength.indexOf(one.layer) - strength.indexOf(other.layer));
}

export const strongest: ConfigLayer = 'explicit';

export function isAtMost(layer: ConfigLayer, other: ConfigLayer): boolean {
  return strength.indexOf(layer) >= strength.indexOf(other);
}
