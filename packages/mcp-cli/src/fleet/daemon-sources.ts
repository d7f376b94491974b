import { randomUUID } from 'node:crypto';
import { pause } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import { Listeners } from '@x/internal/events';
import type { Registry, ToolArguments, ToolSource } from '@x/mcp-registry';
import type { ServerRequest, SourceCallOptions, SourceTool, SourceToolResult } from '@x/mcp-registry/sources';
import type { DaemonControl } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import { findDaemon } from '../daemon/find-daemon.js';
import type { DaemonIo, DaemonOptions } from '../daemon/locate-daemon.js';

/** Delay before a lost daemon is looked up again, in milliseconds. */
const retryMs = 1_000;

interface DaemonSourcesOptions extends DaemonOptions {
  readonly registry: Pick<Registry, 'attach'>;
  /** Names of this process's own servers. */
  readonly own: ReadonlySet<string>;
  /** Called once, each time the sources become unavailable. */
  readonly onUnavailable: (message: string) => void;
}

/**
 * Adds the sources of the daemon's fleet to a registry of this process, because a node joins a fleet only once. Follows
 * the daemon through restarts until disposed.
 */
export class DaemonSources implements AsyncDisposable {
  readonly #options: DaemonSourcesOptions;
  readonly #io: DaemonIo;
  readonly #ended = new AbortController();
  readonly #sources = new Map<string, { readonly source: DaemonSource; readonly attached: Disposable }>();
  readonly #following: Promise<void>;
  #onCurrent: () => void = () => undefined;
  /** Resolves when all initial sources are in the registry, or are unavailable. */
  readonly ready: Promise<void>;

  constructor(options: DaemonSourcesOptions, io: DaemonIo) {
    this.#options = options;
    this.#io = io;
    this.ready = new Promise((resolve) => {
      this.#onCurrent = resolve;
    });
    this.#following = this.#follow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort(new Error('the serving is over'));
    await this.#following;
    for (const name of [...this.#sources.keys()]) this.#remove(name);
  }

  async #follow(): Promise<void> {
    const signal = AbortSignal.any([this.#io.signal, this.#ended.signal]);
    let isReported = false;
    while (!signal.aborted) {
      const reason = await this.#read(signal, () => {
        isReported = false;
      });
      for (const { source } of this.#sources.values()) source.disconnect();
      this.#onCurrent();
      if (signal.aborted) return;
      if (!isReported) this.#options.onUnavailable(reason);
      isReported = true;
      await pause(retryMs, signal).catch(() => undefined); // aborted: the loop ends
    }
  }

  /** @returns Reason why no further changes arrive. */
  async #read(signal: AbortSignal, onCurrent: () => void): Promise<string> {
    try {
      await using control = await findDaemon(this.#options, { ...this.#io, signal });
      if (control === undefined) return 'No daemon is running for this config, so nothing of its fleet is served.';
      const seen = new Set<string>();
      for await (const item of control.fleetSources({ signal })) {
        if ('isCurrent' in item) {
          for (const name of [...this.#sources.keys()]) if (!seen.has(name)) this.#remove(name);
          onCurrent();
          this.#onCurrent();
        } else if ('removed' in item) {
          this.#remove(item.removed);
        } else if (!this.#options.own.has(item.source)) {
          seen.add(item.source);
          this.#update(item, control);
        }
      }
      return 'The daemon belongs to no fleet any more, or has ended: nothing of its fleet is served.';
    } catch (error) {
      return messageOf(error);
    }
  }

  #update(item: { source: string; state: string; tools: readonly SourceTool[] }, control: DaemonControl): void {
    const known = this.#sources.get(item.source)?.source;
    const source = known ?? new DaemonSource(item.source);
    source.update(item, control);
    if (known === undefined)
      this.#sources.set(item.source, { source, attached: this.#options.registry.attach(source) });
  }

  #remove(name: string): void {
    this.#sources.get(name)?.attached[Symbol.dispose]();
    this.#sources.delete(name);
  }
}

/** A source of the fleet, as the daemon reports it. */
class DaemonSource implements ToolSource {
  readonly name: string;
  readonly #listeners = new Listeners<void>('tools-changed');
  #state: NonNullable<ToolSource['state']> = 'unreachable';
  #tools: readonly SourceTool[] = [];
  #control: DaemonControl | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get state(): NonNullable<ToolSource['state']> {
    return this.#state;
  }

  update(
    { state, tools }: { readonly state: string; readonly tools: readonly SourceTool[] },
    control: DaemonControl,
  ): void {
    this.#control = control;
    this.#state = state as NonNullable<ToolSource['state']>; // the daemon sends the states of tool sources
    this.#tools = Object.freeze([...tools]);
    this.#listeners.tell();
  }

  /** The daemon is gone. */
  disconnect(): void {
    this.#control = undefined;
    this.#state = 'unreachable';
    this.#listeners.tell();
  }

  listTools(): readonly SourceTool[] {
    return this.#tools;
  }

  callTool(tool: string, args: ToolArguments, options: SourceCallOptions): Promise<SourceToolResult> {
    const { signal, onProgress, timeoutMs, meta, params, inputRequired, caller, handler } = options;
    if (this.#control === undefined) {
      const message = `"${this.name}" cannot be called: the daemon of its fleet is not running.`;
      return Promise.reject(new ControlError('daemon-not-running', message, { hint: 'Run "mcpx up" to start it.' }));
    }
    const callHandler = handler && { client: clientName(handler.client), capabilities: handler.capabilities };
    const call = { source: this.name, tool, args, timeoutMs, meta, params, inputRequired, caller, host: callHandler };
    return this.#control.callSource({
      ...JSON.parse(JSON.stringify(call)),
      signal,
      onProgress,
      onServerRequest:
        handler &&
        ((request, answerOptions) => handler.answer(request as ServerRequest, { server: this.name, ...answerOptions })),
    });
  }

  onToolsChanged(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }
}

const gatewayId = randomUUID();
const names = new WeakMap<object, string>();

/** The same for the same client, and unique across all gateways. */
function clientName(client: unknown): string {
  const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function';
  if (!isObject) return `${gatewayId} ${typeof client} ${String(client)}`;
  const name = names.get(client) ?? randomUUID();
  names.set(client, name);
  return name;
}
