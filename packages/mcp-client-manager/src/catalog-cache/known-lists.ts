import type { ServerLists } from '../session/lists/server-lists.js';
import type { MemoryStore } from './memory-store.js';
import type { RememberedList } from './server-memory.js';

const featureOf: Readonly<Record<keyof ServerLists, string>> = {
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'prompts/list': 'prompts',
};

/** The last resource and prompt lists of a server, from any process with the same launch. */
export class KnownLists {
  readonly #memory: MemoryStore;
  readonly #fingerprint: () => string;

  constructor(memory: MemoryStore, fingerprint: () => string) {
    this.#memory = memory;
    this.#fingerprint = fingerprint;
  }

  /** `undefined` if the list was never requested. Empty if the server has no such list. */
  recall<Method extends keyof ServerLists>(method: Method): RememberedList<ServerLists[Method]> | undefined {
    const memory = this.#memory.recall(this.#fingerprint());
    if (!memory) return undefined;
    const isDeclared = Object.hasOwn(memory.facts.capabilities, featureOf[method]);
    return isDeclared ? memory.lists?.[method] : { savedAt: memory.savedAt, items: [] };
  }

  remember<Method extends keyof ServerLists>(method: Method, items: readonly ServerLists[Method][]): void {
    const fingerprint = this.#fingerprint();
    const memory = this.#memory.recall(fingerprint);
    if (!memory) return;
    const lists = { ...memory.lists, [method]: { savedAt: Date.now(), items } };
    this.#memory.remember(fingerprint, { ...memory, lists });
  }
}
