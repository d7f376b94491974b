import { createHash } from 'node:crypto';
import type { SourceCallOptions, SourceTool, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { FleetSource } from '../../src/source.js';
import { tool } from '../helpers/offered.js';
import { longText } from './long-text.js';

/** `who` answers where it ran, `hang` never, `long` with so many characters, `digest` with that of its `text`. */
const SCRIPTED = ['who', 'hang', 'long', 'digest'];
/** How many tools there are of each server beside those that a plan asks for. */
export const SCRIPTED_TOOLS = SCRIPTED.length;

export interface ScriptedSourceOptions {
  readonly name: string;
  /** What `who` answers. */
  readonly place: string;
  readonly tools: number;
  tell(name: 'called' | 'stopped', detail: Readonly<Record<string, unknown>>): void;
}

/** A server of a node's process. */
export class ScriptedSource implements FleetSource {
  readonly name: string;
  readonly #options: ScriptedSourceOptions;
  readonly #tools: readonly SourceTool[];

  constructor(options: ScriptedSourceOptions) {
    this.name = options.name;
    this.#options = options;
    const others = Array.from({ length: options.tools }, (_, index) => tool(`${options.place}_${index}`));
    this.#tools = [...SCRIPTED.map((name) => tool(name)), ...others];
  }

  listTools(): readonly SourceTool[] {
    return this.#tools;
  }

  async callTool(name: string, args: ToolArguments, { signal }: SourceCallOptions): Promise<ToolCallResult> {
    this.#options.tell('called', { server: this.name, tool: name, mark: args.mark });
    return { content: [{ type: 'text', text: await this.#run(name, args, signal) }] };
  }

  async stop(): Promise<void> {
    this.#options.tell('stopped', { server: this.name });
  }

  async #run(name: string, args: ToolArguments, signal: AbortSignal | undefined): Promise<string> {
    if (name === 'hang')
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    if (name === 'long') return longText(Number(args.length));
    if (name === 'digest') return createHash('sha256').update(String(args.text)).digest('hex');
    return this.#options.place;
  }
}
