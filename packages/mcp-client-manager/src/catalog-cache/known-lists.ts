import type { ServerLists } from '../session/server-lists.js';
import type { MemoryStore } from './memory-store.js';
import type { RememberedList } from './server-memory.js';

/** The feature that a server declares when it has such a list. */
const featureOf: Readonly<Record<keyof ServerLists, string>> = {
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'prompts/list': 'prompts',
};

/** What a server listed last beside its tools, in this process or in an earlier one of the same launch. */
export class KnownLists {
  readonly #memory: MemoryStore;
  readonly #fingerprint: () => string;

  /** @param fingerprint - Of the launch that the server is kept to now. */
  constructor(memory: MemoryStore, fingerprint: () => string) {
    this.#memory = memory;
    this.#fingerprint = fingerprint;
  }

  /** `undefined` when nobody has asked for it yet. Empty for a server that does not have such a list at all. */
  recall<Method extends keyof ServerLists>(method: Method): RememberedList<ServerLists[Method]> | undefined {
    const memory = this.#memory.recall(this.#fingerprint());
    if (!memory) return undefined;
    const isDeclared = Object.hasOwn(memory.facts.capabilities, featureOf[method]);
    return isDeclared ? memory.lists?.[method] : { savedAt: memory.savedAt, items: [] };
  }

  remember<Method extends keyof ServerLists>(method: Method, items: readonly ServerLists[Method][]): void {
    const fingerprint = this.#fingerprint();
    const memory = this.#memory.recall(fingerprint);
    if (!memory) return; // only servers that were ready are remembered
    const lists = { ...memory.lists, [method]: { savedAt: Date.now(), items } };
    this.#memory.remember(fingerprint, { ...memory, lists });
  }
}
