import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import type { Publisher } from '../catalog/publisher.js';
import type { Placement } from '../catalog/records.js';
import type { Singleton } from '../placement/singleton.js';
import type { FleetSource } from '../source.js';
import type { HeldSource } from './held-source.js';

export interface OwnServerParts {
  readonly source: FleetSource;
  readonly placement: Placement;
  /** None for a server that is not offered to others. */
  readonly publisher?: Publisher | undefined;
  /** Only for a server that the fleet runs once. */
  readonly singleton?: Singleton | undefined;
  /** The same. */
  readonly held?: HeldSource | undefined;
}

/** A server of this node as the fleet uses it. */
export class OwnServer implements AsyncDisposable {
  readonly source: FleetSource;
  readonly placement: Placement;
  readonly publisher: Publisher | undefined;
  readonly singleton: Singleton | undefined;
  readonly #held: HeldSource | undefined;
  /** What calls of other nodes run on. */
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

  /** Calls of the fleet's that are under way, from here and from other nodes. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether it may take calls: always, but for a server that the fleet runs once and another node has. */
  get takesCalls(): boolean {
    return this.singleton?.holds ?? true;
  }

  async callTool(tool: string, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult> {
    this.#inFlight += 1;
    try {
      this.#held?.wake();
      return await this.source.callTool(tool, args, options);
    } finally {
      this.#inFlight -= 1;
    }
  }

  /**
   * Takes it out of the fleet. What only one node may run is stopped before another may have it.
   *
   * @throws what the source throws when it is to stop: then no other node may have it for as long as this one is there.
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
