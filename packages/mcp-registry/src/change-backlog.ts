import { compareText } from '@x/internal/text';
import type { ToolsChange } from './events.js';

/** Merges changes. Its size is bounded by the number of tools. */
export class ChangeBacklog {
  readonly #outcomes = new Map<string, 'added' | 'removed' | 'changed'>();
  #revision = 0;

  get isEmpty(): boolean {
    return this.#outcomes.size === 0;
  }

  add({ revision, added, removed, changed }: ToolsChange): void {
    this.#revision = revision;
    const outcomes = this.#outcomes;
    for (const name of added) outcomes.set(name, outcomes.get(name) === 'removed' ? 'changed' : 'added');
    for (const name of changed) if (outcomes.get(name) !== 'added') outcomes.set(name, 'changed');
    for (const name of removed) {
      if (outcomes.get(name) === 'added') outcomes.delete(name);
      else outcomes.set(name, 'removed');
    }
  }

  /** Removes and returns the merged change; `undefined` if none is left. */
  take(): ToolsChange | undefined {
    if (this.isEmpty) return undefined;
    const named = Array.from(this.#outcomes).sort(([left], [right]) => compareText(left, right));
    const of = (wanted: string) => named.flatMap(([name, outcome]) => (outcome === wanted ? [name] : []));
    this.#outcomes.clear();
    const [added, removed, changed] = [of('added'), of('removed'), of('changed')];
    return Object.freeze({ revision: this.#revision, added, removed, changed });
  }
}
