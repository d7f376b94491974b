import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerTool } from '../../session/session.js';
import type { ServerState } from '../state/server-state.js';
import { allowedOf } from './tool-filter.js';

const noTools: readonly ServerTool[] = Object.freeze([]);

/** The known tools, filtered by the server's state and spec. */
export class ToolOffer {
  readonly #onChanged: (tools: number) => void;
  #source: readonly ServerTool[] = noTools;
  #rules: Pick<ServerPolicy, 'allowedTools' | 'deniedTools'> | undefined;
  #allowed: readonly ServerTool[] = noTools;
  #announced: readonly ServerTool[] = noTools;

  constructor(onChanged: (tools: number) => void) {
    this.#onChanged = onChanged;
  }

  /** The same frozen array until it changes. */
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

  assume(tools: readonly ServerTool[]): void {
    this.#announced = tools;
  }

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

/** True if calls reach the server, possibly after a wait: an idle server wakes on demand, and a lost one restarts. */
export function offersTools(state: ServerState, { autoStart }: { readonly autoStart: boolean }): boolean {
  switch (state.phase) {
    case 'ready':
    case 'backoff':
      return true;
    case 'idle':
      return autoStart;
    case 'queued':
    case 'starting':
      return state.after !== 'failure';
    case 'draining':
    case 'stopping':
      return offersTools(state.next, { autoStart });
    default:
      return false;
  }
}
