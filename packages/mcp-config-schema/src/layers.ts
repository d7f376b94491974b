import type { ConfigLayer, SourcePosition } from './config.js';
import type { ConfigFault, ConfigPath } from './issues.js';
import type { SourceText } from './source/source-text.js';

const strength: readonly ConfigLayer[] = ['explicit', 'project', 'user'];

export function isLayer(word: unknown): word is ConfigLayer {
  return strength.some((layer) => layer === word);
}

interface Layered {
  readonly layer: ConfigLayer;
  readonly isGiven: boolean;
}

/** Given texts come after all files. */
export function strongestFirst<Item extends Layered>(items: readonly Item[]): readonly Item[] {
  const rank = ({ layer, isGiven }: Layered): number => strength.indexOf(layer) + (isGiven ? strength.length : 0);
  return items.toSorted((one, other) => rank(one) - rank(other));
}

export const strongest: ConfigLayer = 'explicit';

export function isAtMost(layer: ConfigLayer, other: ConfigLayer): boolean {
  return strength.indexOf(layer) >= strength.indexOf(other);
}

/**
 * Assigns each name to the first text that claims it, strongest layer first. Reports names in two texts of one layer.
 */
export class Claims {
  readonly #claimed = new Map<string, { readonly place: SourcePosition; readonly from: Layered }>();
  readonly #repeated: (name: string, first: SourcePosition, where: string) => ConfigFault;

  /** @param repeated - Creates the fault of a repeated name. */
  constructor(repeated: (name: string, first: SourcePosition, where: string) => ConfigFault) {
    this.#repeated = repeated;
  }

  get size(): number {
    return this.#claimed.size;
  }

  has(name: string): boolean {
    return this.#claimed.has(name);
  }

  /** `weaker`: a stronger layer, or a file in place of a given text, already has the name, which is allowed. */
  claim(
    name: string,
    path: ConfigPath,
    from: Layered & { readonly source: SourceText },
  ): 'first' | 'weaker' | 'repeated' {
    const { source, layer, isGiven } = from;
    const claimed = this.#claimed.get(name);
    if (claimed === undefined) {
      this.#claimed.set(name, { place: source.position(path, { part: 'key' }), from });
      return 'first';
    }
    if (claimed.from.layer !== layer || claimed.from.isGiven !== isGiven) return 'weaker';
    const { file = 'another text', line } = claimed.place;
    const fault = this.#repeated(name, claimed.place, `is defined in two files: also in ${file}, line ${line}`);
    source.report(fault, path, { part: 'key' });
    return 'repeated';
  }
}
