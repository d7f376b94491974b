import { allowsTool, type ToolRules } from '@x/internal/server-fields';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerTool } from '../../session/session.js';
import type { ServerState } from '../state/server-state.js';

const noTools: readonly ServerTool[] = Object.freeze([]);

/** The known tools, filtered by the server's state and spec. */
export class ToolOffer {
  readonly #onChanged: (tools: number) => void;
  #source: readonly ServerTool[] = noTools;
  #rules: Pick<ServerPolicy, 'allowedTools' | 'deniedTools'> | undefined;
  #allowed: readonly ServerTool[] = noTools;
  #announced: readonly ServerTool[] = noTools;
  #announcedAllowed: readonly ServerTool[] = noTools;

  constructor(onChanged: (tools: number) => void) {
    this.#onChanged = onChanged;
  }

  /** The same frozen array until it changes. */
  of(known: readonly ServerTool[], state: ServerState, server: ServerPolicy): readonly ServerTool[] {
    return offersTools(state, server) ? this.allowed(known, server) : noTools;
  }

  /** The tools that the spec allows, in any state. The same frozen array until it changes. */
  allowed(known: readonly ServerTool[], server: ServerPolicy): readonly ServerTool[] {
    if (this.#source !== known || this.#rules !== server) {
      const allowed = allowedOf(server, known);
      this.#source = known;
      this.#rules = server;
      if (!isSameList(allowed, this.#allowed)) this.#allowed = allowed;
    }
    return this.#allowed;
  }

  assume(tools: readonly ServerTool[], allowed: readonly ServerTool[]): void {
    this.#announced = tools;
    this.#announcedAllowed = allowed;
  }

  /** Reports a change of the offered or the allowed tools. */
  announce(tools: readonly ServerTool[], allowed: readonly ServerTool[]): void {
    if (tools === this.#announced && allowed === this.#announcedAllowed) return;
    const isChange = tools.length + this.#announced.length + allowed.length + this.#announcedAllowed.length > 0;
    this.assume(tools, allowed);
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

/** The same array if the spec allows all. */
export function allowedOf(rules: ToolRules, tools: readonly ServerTool[]): readonly ServerTool[] {
  const allowed = tools.filter(({ name }) => allowsTool(rules, name));
  return allowed.length === tools.length ? tools : Object.freeze(allowed);
}
