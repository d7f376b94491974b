import type { ConfigLayer } from './config.js';

/** Strongest first. */
const strength: readonly ConfigLayer[] = ['explicit', 'project', 'user'];

export function isLayer(word: unknown): word is ConfigLayer {
  return strength.some((layer) => layer === word);
}

/** The strongest first; within one layer the order stays. */
export function strongestFirst<Item extends { readonly layer: ConfigLayer }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => strength.indexOf(one.layer) - strength.indexOf(other.layer));
}

export const strongest: ConfigLayer = 'explicit';

/** Whether `layer` is `other` or a weaker one. */
export function isAtMost(layer: ConfigLayer, other: ConfigLayer): boolean {
  return strength.indexOf(layer) >= strength.indexOf(other);
}
