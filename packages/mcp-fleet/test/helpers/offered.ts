import type { SourceTool, ToolSourceState } from '@x/internal/contracts';
import type { FleetSource } from '../../src/source.js';

/** A tool that wants nothing. */
export function tool(name: string, description = `Does ${name}`): SourceTool {
  return { name, description, inputSchema: { type: 'object' } };
}

/** A source that answers each call with its mark and the tool's name, and whose tools can be changed. */
export class ChangingSource implements FleetSource {
  readonly name: string;
  readonly calls: unknown[] = [];
  state: ToolSourceState = 'running';
  starts = 0;
  stops = 0;
  readonly #mark: string;
  readonly #listeners = new Set<() => void>();
  #tools: readonly SourceTool[];

  constructor(name: string, tools: readonly SourceTool[], mark = name) {
    this.name = name;
    this.#tools = tools;
    this.#mark = mark;
  }

  listTools(): readonly SourceTool[] {
    return this.#tools;
  }

  async callTool(name: string, args: unknown, options: Parameters<FleetSource['callTool']>[2]) {
    this.calls.push({ name, args, caller: options.caller });
    return { content: [{ type: 'text', text: `${this.#mark} ran ${name}` }] };
  }

  onToolsChanged(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async start(): Promise<void> {
    this.starts += 1;
    this.#become('running');
  }

  async stop(): Promise<void> {
    this.stops += 1;
    this.#become('stopped');
  }

  change(tools: readonly SourceTool[] = this.#tools): void {
    this.#tools = tools;
    for (const listener of this.#listeners) listener();
  }

  #become(state: ToolSourceState): void {
    if (state === this.state) return;
    this.state = state;
    this.change();
  }
}

/** One that does not run, until it is started. */
export function restingSource(...args: ConstructorParameters<typeof ChangingSource>): ChangingSource {
  return Object.assign(new ChangingSource(...args), { state: 'stopped' });
}
