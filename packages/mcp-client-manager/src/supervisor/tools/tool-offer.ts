import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerTool } from '../../session/session.js';
import type { ServerState } from '../state/server-state.js';
import { offersTools } from './offers-tools.js';
import { allowedOf } from './tool-filter.js';

const noTools: readonly ServerTool[] = Object.freeze([]);

/** What a server offers at present: of the tools that are known, those that its state and its spec let be seen. */
export class ToolOffer {
  readonly #onChanged: (tools: number) => void;
  #source: readonly ServerTool[] = noTools;
  #rules: Pick<ServerPolicy, 'allowedTools' | 'deniedTools'> | undefined;
  #allowed: readonly ServerTool[] = noTools;
  #announced: readonly ServerTool[] = noTools;

  constructor(onChanged: (tools: number) => void) {
    this.#onChanged = onChanged;
  }

  /** The same frozen array until something of it changes. */
  of(known: readonly ServerTool[], state: ServerState, server: ServerPolicy): readonly ServerTool[] {
    if (!offersTools(state, server)) return noTools;
    if (this.#source !== known || this.#rules !== server) {
      const allowed = allowedOf(server, known);
      this.#source = known;
      this.#rules = server;
      if (!isSameList(allowed, this.#allowed)) this.#allowed = allowed;
    }
    return this.#allowed;
  }

  /** Takes `tools` as told already. */
  assume(tools: readonly ServerTool[]): void {
    this.#announced = tools;
  }

  /** Tells of a change since it was told last. */
  announce(tools: readonly ServerTool[]): void {
    if (tools === this.#announced) return;
    const isChange = tools.length + this.#announced.length > 0;
    this.#announced = tools;
    if (isChange) this.#onChanged(tools.length);
  }
}

function isSameList(one: readonly ServerTool[], other: readonly ServerTool[]): boolean {
  return one.length === other.length && one.every((tool, index) => tool === other[index]);
}
