import type { MemoryStore } from '../../catalog-cache/memory-store.js';
import { launchFingerprint } from '../../launch/launch-fingerprint.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { ServerTool, Session, SessionFacts, ToolListing } from '../../session/session.js';
import type { ListChangeCause } from '../../session/session-listeners.js';
import type { ServerState } from '../state/server-state.js';
import { ToolCatalog } from './tool-catalog.js';
import { ToolOffer } from './tool-offer.js';

interface KnownToolsOptions {
  readonly memory: MemoryStore;
  readonly present: () => { readonly server: ServerPolicy; readonly state: ServerState };
  readonly onListed: (listing: ToolListing) => void;
  readonly onChanged: (tools: number) => void;
  /** Called if an announced change turns out to be none. */
  readonly onSame: () => void;
}

/** The last list of one server, the remembered one of an earlier process, and the offered part. */
export class KnownTools {
  readonly #options: KnownToolsOptions;
  readonly #catalog: ToolCatalog;
  readonly #offer: ToolOffer;

  constructor(options: KnownToolsOptions) {
    this.#options = options;
    this.#catalog = new ToolCatalog({
      timeoutMs: () => options.present().server.limits.startupTimeoutMs,
      maxTools: () => options.present().server.limits.maxTools,
      onListed: options.onListed,
      onSame: options.onSame,
    });
    this.#offer = new ToolOffer(options.onChanged);
    this.recall();
    this.#offer.assume(this.offered, this.allowed); // no reader has seen the tools yet
  }

  get offered(): readonly ServerTool[] {
    const { server, state } = this.#options.present();
    return this.#offer.of(this.#catalog.tools, state, server);
  }

  /** Offered or not. */
  get allowed(): readonly ServerTool[] {
    return this.#offer.allowed(this.#catalog.tools, this.#options.present().server);
  }

  get isListed(): boolean {
    return this.#catalog.listedAt !== undefined;
  }

  get problems(): readonly string[] {
    return this.#catalog.problems;
  }

  get cachedAt(): number | undefined {
    return this.#catalog.cachedAt;
  }

  /** Of the last session of this launch. */
  get facts(): SessionFacts | undefined {
    const { memory, present } = this.#options;
    return memory.recall(launchFingerprint(present().server))?.facts;
  }

  list(session: Session, limit?: { signal?: AbortSignal | undefined }): Promise<ToolListing> {
    return this.#catalog.refresh(session, limit);
  }

  invalidate(session: Session | undefined, cause: ListChangeCause): void {
    this.#catalog.invalidate(session, cause);
  }

  announce(): void {
    this.#offer.announce(this.offered, this.allowed);
  }

  recall(): void {
    const { memory, present } = this.#options;
    const memorized = memory.recall(launchFingerprint(present().server));
    const { tools = [], listedAt, isPartial = false } = memorized ?? {};
    this.#catalog.seed({ tools, listedAt, isPartial });
  }

  /** Stores facts and tools for the next start of the same launch, in any process. */
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

  stop(): void {
    this.#catalog.stop();
  }
}
