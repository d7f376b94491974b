import { setTimeout as delay } from 'node:timers/promises';
import type { ToolArguments, ToolCallResult } from '@x/mcp-registry';
import type {
  ListToolsOptions,
  SourceCallOptions,
  SourceTool,
  ToolSource,
  ToolSourceState,
} from '@x/mcp-registry/sources';
import type { Action } from './task-board.js';

const RECONNECT_MS = 1_000;

/** What a task board can do, as tools. The registry lists them again whenever the board says that they have changed. */
export class BoardSource implements ToolSource, Disposable {
  readonly name = 'board';
  readonly #url: URL;
  readonly #listeners = new Set<() => void>();
  readonly #lifetime = new AbortController();
  #state: ToolSourceState = 'starting';

  constructor(url: URL) {
    this.#url = url;
    void this.#follow();
  }

  get state(): ToolSourceState {
    return this.#state;
  }

  // #region source
  async listTools({ signal }: ListToolsOptions): Promise<readonly SourceTool[]> {
    const response = await fetch(new URL('actions', this.#url), { signal: signal ?? null });
    if (!response.ok) throw new Error(`The board answered with status ${response.status}`);
    const actions = (await response.json()) as readonly Action[];
    return actions.map(({ name, summary, parameters }) => ({ name, description: summary, inputSchema: parameters }));
  }

  /** What the board refuses is a result that the model sees; that it cannot be reached is an error for the app. */
  async callTool(tool: string, args: ToolArguments, { signal }: SourceCallOptions): Promise<ToolCallResult> {
    const response = await fetch(new URL(`actions/${encodeURIComponent(tool)}`, this.#url), {
      method: 'POST',
      body: JSON.stringify(args),
      signal: signal ?? null, // aborts when the caller does, when the time is over, and when the registry closes
    });
    return { content: [{ type: 'text', text: await response.text() }], isError: !response.ok };
  }

  onToolsChanged(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
  // #endregion source

  [Symbol.dispose](): void {
    this.#lifetime.abort();
  }

  /** Reads the board's stream of changes, and goes back to it when it breaks off. */
  async #follow(): Promise<void> {
    const { signal } = this.#lifetime;
    while (!signal.aborted) {
      try {
        await this.#readChanges(signal);
      } catch {
        // The board is gone, or we are; the loop knows which.
      }
      this.#become('failed');
      await delay(RECONNECT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #readChanges(signal: AbortSignal): Promise<void> {
    const { body } = await fetch(new URL('changes', this.#url), { signal });
    this.#become('running');
    for await (const _chunk of body ?? []) this.#announce();
  }

  #become(state: ToolSourceState): void {
    this.#state = state;
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
