import type { MemoryStore } from '../../catalog-cache/memory-store.js';
import { launchFingerprint } from '../../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerTool, Session, ToolListing } from '../../session/session.js';
import type { ServerState } from '../state/server-state.js';
import { offersTools } from './offers-tools.js';
import { ToolCatalog } from './tool-catalog.js';
import { ToolOffer } from './tool-offer.js';

export interface KnownToolsOptions {
  readonly memory: MemoryStore;
  /** The spec and the state that the server has now. */
  readonly present: () => { readonly server: ServerPolicy; readonly state: ServerState };
  /** Called after each listing that counts. */
  readonly onListed: (listing: ToolListing) => void;
  /** Called when what is offered has changed. */
  readonly onChanged: (tools: number) => void;
}

/** The tools of one server: what it listed last, what an earlier process remembers of it, and what of that is offered. */
export class KnownTools {
  readonly #options: KnownToolsOptions;
  readonly #catalog: ToolCatalog;
  readonly #offer: ToolOffer;

  constructor(options: KnownToolsOptions) {
    this.#options = options;
    this.#catalog = new ToolCatalog({
      timeoutMs: () => options.present().server.startupTimeoutMs,
      maxTools: () => options.present().server.maxTools,
      onListed: options.onListed,
    });
    this.#offer = new ToolOffer(options.onChanged);
    this.recall();
    this.#offer.assume(this.offered); // nobody has asked before
  }

  /** The same frozen array until they change. */
  get offered(): readonly ServerTool[] {
    const { server, state } = this.#options.present();
    return this.#offer.of(this.#catalog.tools, state, server);
  }

  /** Whether `offered` says what the server has, be it nothing. */
  get isListed(): boolean {
    const { state, server } = this.#options.present();
    return this.#catalog.listedAt !== undefined && offersTools(state, server);
  }

  get problems(): readonly string[] {
    return this.#catalog.problems;
  }

  get cachedAt(): number | undefined {
    return this.#catalog.cachedAt;
  }

  list(session: Session, limit?: { signal?: AbortSignal | undefined }): Promise<ToolListing> {
    return this.#catalog.refresh(session, limit);
  }

  /** The server says that its list has changed. */
  invalidate(session: Session | undefined): void {
    this.#catalog.invalidate(session);
  }

  /** Tells of what has changed since it was told last, if anything has. */
  announce(): void {
    this.#offer.announce(this.offered);
  }

  /** What an earlier run of the same launch has left behind, so that the tools are known before it runs here. */
  recall(): void {
    const { memory, present } = this.#options;
    const memorized = memory.recall(launchFingerprint(present().server));
    const { tools = [], listedAt, isPartial = false } = memorized ?? {};
    this.#catalog.seed({ tools, listedAt, isPartial });
  }

  /** Keeps what is known now for the next start of the same launch, in this process or another. */
  remember({ facts }: Session): void {
    const { memory, present } = this.#options;
    const fingerprint = launchFingerprint(present().server);
    const { tools, listedAt, isPartial } = this.#catalog;
    memory.remember(fingerprint, {
      ...memory.recall(fingerprint),
      savedAt: Date.now(),
      facts,
      tools,
      listedAt,
      isPartial,
    });
  }

  /** To be called when the server is not to be asked any more. */
  rest(): void {
    this.#catalog.rest();
  }
}
