import type { SourceCallOptions, SourceToolResult, ToolArguments } from '@x/internal/contracts';
import type { Publisher } from '../catalog/publisher.js';
import type { Placement } from '../catalog/records.js';
import type { Singleton } from '../placement/singleton.js';
import type { FleetSource } from '../source.js';
import type { SingletonSource } from './singleton-source.js';

interface OwnServerParts {
  readonly source: FleetSource;
  readonly placement: Placement;
  readonly publisher?: Publisher | undefined;
  readonly singleton?: Singleton | undefined;
  readonly held?: SingletonSource | undefined;
}

/** Server of this node, with its role in the fleet. */
export class OwnServer implements AsyncDisposable {
  readonly source: FleetSource;
  readonly placement: Placement;
  readonly publisher: Publisher | undefined;
  readonly singleton: Singleton | undefined;
  readonly #held: SingletonSource | undefined;
  readonly callee: FleetSource;
  #inFlight = 0;
  #ending: Promise<void> | undefined;

  constructor({ source, placement, publisher, singleton, held }: OwnServerParts) {
    this.source = source;
    this.placement = placement;
    this.publisher = publisher;
    this.singleton = singleton;
    this.#held = held;
    this.callee = {
      name: source.name,
      listTools: (options) => source.listTools(options),
      callTool: (tool, args, options) => this.callTool(tool, args, options),
    };
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** True unless the server is a singleton that another node holds. */
  get acceptsCalls(): boolean {
    return this.singleton?.isHolder ?? true;
  }

  async callTool(tool: string, args: ToolArguments, options: SourceCallOptions): Promise<SourceToolResult> {
    this.#inFlight += 1;
    try {
      this.#held?.ensureStarted();
      return await this.source.callTool(tool, args, options);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /**
   * Withdraws the server. Stops a singleton before another node may run it.
   *
   * @throws Errors of the source's `stop`: then no other node may run it while this node is a member.
   */
  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    const { singleton, publisher } = this;
    try {
      singleton?.retire();
      await this.#held?.end();
      await singleton?.[Symbol.asyncDispose]();
    } finally {
      await publisher?.[Symbol.asyncDispose]();
    }
  }
}
