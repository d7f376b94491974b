import type { ConfigLayer, SourcePosition } from './config.js';
import type { ConfigFault, ConfigPath } from './issues.js';
import type { SourceText } from './source/source-text.js';

/**
 * Who has each name when several texts are put together: the first that claims it, strongest layer first. A name that
 * stands in two texts of one layer is reported.
 */
export class Claims {
  readonly #holders = new Map<string, { readonly place: SourcePosition; readonly layer: ConfigLayer }>();
  readonly #repeated: (name: string, first: SourcePosition, where: string) => ConfigFault;

  /** @param repeated - Makes the fault of a name that stands twice; `where` says in words where it stands already. */
  constructor(repeated: (name: string, first: SourcePosition, where: string) => ConfigFault) {
    this.#repeated = repeated;
  }

  get size(): number {
    return this.#holders.size;
  }

  has(name: string): boolean {
    return this.#holders.has(name);
  }

  /** `weaker`: a stronger layer has the name already, which is as it should be. */
  claim(name: string, path: ConfigPath, source: SourceText, layer: ConfigLayer): 'first' | 'weaker' | 'repeated' {
    const holder = this.#holders.get(name);
    if (holder === undefined) {
      this.#holders.set(name, { place: source.position(path, { part: 'key' }), layer });
      return 'first';
    }
    if (holder.layer !== layer) return 'weaker';
    const { file = 'another text', line } = holder.place;
    const fault = this.#repeated(name, holder.place, `stands in two files: also in ${file}, line ${line}`);
    source.report(fault, path, { part: 'key' });
    return 'repeated';
  }
}
