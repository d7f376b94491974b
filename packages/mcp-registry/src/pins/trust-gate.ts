import { Emitter } from '@x/internal/events';
import type { ToolGate } from '../catalog/catalog.js';
import type { SourceTools, ToolEntry } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import type { RegistryError } from '../errors.js';
import { makePin } from './check-pins.js';
import { PinBook } from './pin-book.js';
import type { PinChange, PinStore, RewrittenPin } from './pin-store.js';
import { instructionsOf, toolDigest } from './pinned-definition.js';
import type { RedactedTools } from './redaction/redacted-tools.js';
import type { PinEvents, ToolReference, TrustChange } from './registry-pins.js';
import {
  isFirstUse,
  judgeTool,
  type KnownTools,
  type ToolTrust,
  type TrustMode,
  type TrustPolicy,
} from './trust-policy.js';

interface TrustGateParts {
  readonly policy: TrustPolicy;
  readonly store: PinStore;
  readonly redacted: RedactedTools;
  readonly refresh: () => void;
  /** Receives servers with resources and prompts that are now held back or released. */
  readonly onPartsHeld: (server: string) => void;
}

export class TrustGate implements ToolGate {
  readonly events = new Emitter<PinEvents>({ 'trust-changed': true });
  /** Settles when the store was read or has failed. */
  readonly ready: Promise<void>;
  #policy: TrustPolicy;
  readonly #book: PinBook;
  readonly #refresh: () => void;
  readonly #onPartsHeld: (server: string) => void;
  #partsHeld: ReadonlySet<string> = new Set();
  #offered: readonly SourceTools[] = [];
  #admitted: ReadonlyMap<string, Admitted> = new Map();
  #announced: ReadonlyMap<string, Admitted> = new Map();
  /** Listings whose first use was saved, even without success. */
  readonly #recorded = new Map<string, SourceTools>();
  /** Listings whose pins were checked for secrets. */
  readonly #rewritten = new Map<string, SourceTools>();
  readonly redacted: RedactedTools;

  constructor({ policy, store, redacted, refresh, onPartsHeld }: TrustGateParts) {
    this.redacted = redacted;
    this.#onPartsHeld = onPartsHeld;
    this.#policy = policy;
    this.#refresh = refresh;
    this.#book = new PinBook(store, refresh);
    this.ready = start(() => this.#book.read());
    this.ready.catch(() => undefined); // `failure` has the error
  }

  /** All listings, trusted or not. The same array until the next `admit`. */
  get offered(): readonly SourceTools[] {
    return this.#offered;
  }

  update(policy: TrustPolicy): void {
    this.#policy = policy;
    this.#refresh();
  }

  admit(listings: readonly SourceTools[]): readonly SourceTools[] {
    for (const { checked } of listings) this.redacted.listed(checked.tools);
    this.#offered = listings;
    this.#recordFirstUses(listings);
    this.#rewritePins(listings);
    const admitted = listings.map((listing) => this.#admitOne(listing));
    this.#admitted = new Map(admitted.map((each) => [each.offered.name, each]));
    return admitted.map(({ shown }) => shown);
  }

  swapped(): void {
    this.#announceParts();
    if (!this.#book.isRead) return; // no decisions before the store is read
    const before = this.#announced;
    this.#announced = this.#admitted;
    const tools = Array.from(this.#admitted.values()).flatMap((each) =>
      changesBetween(before.get(each.offered.name), each),
    );
    if (tools.length > 0) this.events.emit('trust-changed', { tools });
  }

  /** True in mode `approve` while nothing of a server is approved, or any part of it waits. */
  holdsParts(server: string): boolean {
    if (this.#policy.modeOf(server) !== 'approve') return false;
    const known = this.#book.known(server);
    const admitted = this.#admitted.get(server);
    if (known === undefined || known.size === 0 || admitted === undefined) return true;
    return admitted.heldBack.length > 0 || this.#instructionsWait(admitted.offered);
  }

  holdsInstructions(server: string): boolean {
    const admitted = this.#admitted.get(server);
    return this.holdsParts(server) || (admitted !== undefined && this.#instructionsWait(admitted.offered));
  }

  holdsTool({ server, tool }: ToolReference): boolean {
    if (this.#policy.modeOf(server) === 'all') return false;
    const listing = this.#offered.find(({ name }) => name === server);
    const definition = listing?.checked.tools.find(({ name }) => name === tool);
    return definition === undefined || this.trustOf(server, definition) !== 'trusted';
  }

  /** Tools and instructions of a listing that need approval. */
  approvable(listing: SourceTools): readonly ToolDefinition[] {
    const instructions = this.#policy.modeOf(listing.name) === 'all' ? undefined : instructionsOf(listing);
    return instructions === undefined ? listing.checked.tools : [...listing.checked.tools, instructions];
  }

  #instructionsWait(listing: SourceTools): boolean {
    const instructions = instructionsOf(listing);
    return instructions !== undefined && this.trustOf(listing.name, instructions) !== 'trusted';
  }

  #announceParts(): void {
    const before = this.#partsHeld;
    const held = this.#offered.flatMap(({ name }) => (this.holdsParts(name) ? [name] : []));
    this.#partsHeld = new Set(held);
    for (const { name } of this.#offered) {
      if (before.has(name) !== this.#partsHeld.has(name)) this.#onPartsHeld(name);
    }
  }

  isOpen({ view, definition, target }: ToolEntry): boolean {
    if (target.kind !== 'source' || view.server === undefined) return true;
    return this.trustOf(view.server, definition) === 'trusted';
  }

  settled(): Promise<void> {
    return this.#book.settled();
  }

  trustOf(server: string, tool: ToolDefinition): ToolTrust {
    return this.#judge(this.#policy.modeOf(server), this.#book.known(server), tool);
  }

  known(server: string): KnownTools {
    return this.#book.known(server);
  }

  /** The parts of each server that are held back. */
  get admitted(): Iterable<Admitted> {
    return this.#admitted.values();
  }

  get failure(): RegistryError | undefined {
    return this.#book.failure;
  }

  async reload(): Promise<void> {
    this.#recorded.clear();
    const later = this.#book.read();
    if (later === undefined) this.#refresh();
    await later;
  }

  async save(changes: readonly PinChange[]): Promise<void> {
    const later = this.#book.save(changes);
    if (later === undefined) this.#refresh();
    await later;
  }

  /** Saves all first uses together, for one event. */
  #recordFirstUses(listings: readonly SourceTools[]): void {
    const changes = listings
      .filter((listing) => this.#isFirstUse(listing))
      .map((listing): PinChange => {
        this.#recorded.set(listing.name, listing);
        const tools = this.approvable(listing).filter((tool) => this.redacted.obstacle(tool) === undefined);
        const pins = tools.map((tool) => makePin(this.redacted.redactAgain(tool).definition, 'first-use'));
        return { type: 'first-use', server: listing.name, tools: pins };
      });
    if (changes.length > 0) start(() => this.#book.save(changes)).catch(() => undefined); // `failure` has the error
  }

  /** Replaces pins with values that are known secrets now. */
  #rewritePins(listings: readonly SourceTools[]): void {
    if (!this.#book.isRead) return;
    const changes = listings.flatMap((listing): readonly PinChange[] => {
      const { name: server } = listing;
      if (this.#rewritten.get(server) === listing || this.#policy.modeOf(server) === 'all') return [];
      this.#rewritten.set(server, listing);
      const pins = Array.from(this.#book.known(server)?.values() ?? []);
      const tools = pins.flatMap((stored): readonly RewrittenPin[] => {
        const pin = this.redacted.pin(stored);
        return pin === stored ? [] : [{ pin, replaces: stored.digest }];
      });
      return tools.length > 0 ? [{ type: 'rewrite', server, tools }] : [];
    });
    if (changes.length > 0) start(() => this.#book.save(changes)).catch(() => undefined);
  }

  #judge(mode: TrustMode, known: KnownTools, tool: ToolDefinition): ToolTrust {
    if (mode === 'all') return 'trusted';
    const { definition, fault } = this.redacted.of(tool);
    const trust = judgeTool(mode, known, definition);
    if (fault !== undefined) return trust === 'pending' ? 'pending' : 'changed';
    const pin = trust === 'changed' ? known?.get(tool.name) : undefined;
    if (pin === undefined) return trust;
    // Redacts both again: either may be older than the knowledge of its secret.
    const now = this.redacted.redactAgain(tool);
    const isSame = now.fault === undefined && this.redacted.pin(pin).digest === toolDigest(now.definition);
    return isSame ? 'trusted' : trust;
  }

  #isFirstUse(listing: SourceTools): boolean {
    const { name: server, checked } = listing;
    if (!this.#book.isRead || this.#recorded.get(server) === listing) return false;
    return isFirstUse(this.#policy.modeOf(server), this.#book.known(server), checked.tools);
  }

  /** The same object for the same listing and pins, so that derived values stay valid. */
  #admitOne(offered: SourceTools): Admitted {
    const mode = this.#policy.modeOf(offered.name);
    const known = this.#book.known(offered.name);
    const before = this.#admitted.get(offered.name);
    const isSame = before?.offered === offered && before.known === known && before.mode === mode;
    if (before !== undefined && isSame) return before;
    if (mode === 'all') return { offered, known, mode, shown: offered, heldBack: [] };

    const { tools } = offered.checked;
    const trusted = tools.filter((tool) => this.#judge(mode, known, tool) === 'trusted');
    if (trusted.length === tools.length) return { offered, known, mode, shown: offered, heldBack: [] };
    const heldBack = tools.flatMap((tool): HeldBackTool[] => {
      const trust = this.#judge(mode, known, tool);
      if (trust === 'trusted') return [];
      const digest = toolDigest(this.redacted.of(tool).definition);
      return [{ tool: tool.name, trust, digest, obstacle: this.redacted.obstacle(tool) }];
    });
    return { offered, known, mode, shown: { ...offered, checked: { ...offered.checked, tools: trusted } }, heldBack };
  }
}

export interface Admitted {
  readonly offered: SourceTools;
  readonly known: KnownTools;
  readonly mode: TrustMode;
  readonly shown: SourceTools;
  readonly heldBack: readonly HeldBackTool[];
}

interface HeldBackTool {
  readonly tool: string;
  readonly trust: Exclude<ToolTrust, 'trusted'>;
  readonly digest: string;
  readonly obstacle: string | undefined;
}

function changesBetween(before: Admitted | undefined, after: Admitted): readonly TrustChange[] {
  if (before === after) return [];
  const server = after.offered.name;
  const earlier = new Map(before?.heldBack.map((each) => [each.tool, each]));
  const now = new Set(after.heldBack.map(({ tool }) => tool));
  const heldBack = after.heldBack.filter(({ tool, trust, digest }) => {
    const known = earlier.get(tool);
    return known?.trust !== trust || known.digest !== digest;
  });
  const released = after.offered.checked.tools.filter(({ name }) => earlier.has(name) && !now.has(name));
  return [
    ...heldBack.map(({ tool, trust }) => ({ server, tool, trust })),
    ...released.map(({ name }) => ({ server, tool: name, trust: 'trusted' as const })),
  ];
}

/** Starts at once, and turns errors into rejections. */
async function start(work: () => Promise<void> | undefined): Promise<void> {
  await work();
}
