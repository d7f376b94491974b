import { pause, unlessAborted } from '@x/internal/async';
import type {
  ListToolsOptions,
  SourceCallOptions,
  SourceTool,
  SourceToolResult,
  ToolArguments,
  ToolSourceState,
} from '@x/internal/contracts';
import { Listeners } from '@x/internal/events';
import type { DefineClient } from '../catalog/define-client.js';
import type { DefinitionStore } from '../catalog/definition-store.js';
import { MAX_TOOLS, type Placement, type ServerRecord, type ToolDigests } from '../catalog/records.js';
import { FleetError, type FleetErrorCode, isFleetError } from '../errors.js';
import type { Offer } from '../placement/plan-offers.js';
import type { FleetSource } from '../source.js';
import { type Owner, orderOwners } from './owners.js';

export interface OfferContext {
  owner(node: string, server: string): Owner | undefined;
  holder(server: string): string | undefined;
  callRemote(owner: Owner, call: ToolCall): Promise<SourceToolResult>;
  readonly definitions: DefinitionStore;
  readonly defineClient: DefineClient;
}

export interface ToolCall {
  readonly server: string;
  readonly tool: string;
  readonly args: ToolArguments;
  readonly options: SourceCallOptions;
}

const STATES: ReadonlySet<string> = new Set<ToolSourceState>([
  'stopped',
  'starting',
  'running',
  'degraded',
  'stopping',
  'failed',
]);
/** Errors after which a fetch of definitions is repeated. `timed-out` covers replies lost with the bus. */
const TRANSIENT_CODES: ReadonlySet<FleetErrorCode> = new Set(['node-unreachable', 'bus-down', 'timed-out']);
const FETCH_ATTEMPTS = 5;
const FETCH_PAUSE_MS = 250;
const NO_TOOLS: readonly SourceTool[] = Object.freeze([]);

/** Server of another node, or shared server, as a source of tools. */
export class OfferedSource implements FleetSource {
  readonly name: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
  readonly #context: OfferContext;
  readonly #listeners = new Listeners<void>('tools-changed');
  #owners: readonly string[];
  #shown: { readonly state: ToolSourceState; readonly owner: Owner | undefined };
  #listed: { readonly key: string; readonly tools: readonly SourceTool[] } | undefined;
  /** True while a listing that needs a fetch is pending or has failed. */
  #isListingDue = false;

  constructor({ name, server, placement, owners }: Offer, context: OfferContext) {
    this.name = name;
    this.server = server;
    this.placement = placement;
    this.#owners = owners;
    this.#context = context;
    this.#shown = this.#currentView();
  }

  get state(): ToolSourceState {
    return this.#shown.state;
  }

  get owners(): readonly string[] {
    return this.#owners;
  }

  setOwners(owners: readonly string[]): void {
    this.#owners = owners;
  }

  /** Recomputes state and tools; notifies listeners if they changed. */
  refresh(): void {
    const before = this.#shown;
    this.#shown = this.#currentView();
    const { state, owner } = this.#shown;
    const isSame =
      state === before.state &&
      owner?.node === before.owner?.node &&
      owner?.record?.tools === before.owner?.record?.tools &&
      owner?.incarnation === before.owner?.incarnation;
    if (!isSame) this.#listeners.tell();
  }

  retryListing(): void {
    if (this.#isListingDue) this.#listeners.tell();
  }

  /** Changes of this node's own server matter only if its tools are the listed ones. */
  ownChanged(): void {
    this.#shown = this.#currentView();
    if (this.#shown.owner?.own !== undefined) this.#listeners.tell();
  }

  listTools({ signal }: ListToolsOptions = {}): readonly SourceTool[] | Promise<readonly SourceTool[]> {
    const { owner } = this.#shown;
    if (owner?.own !== undefined) return owner.own.source.listTools(signal === undefined ? {} : { signal });
    if (owner?.record === undefined) return NO_TOOLS;
    return this.#assemble(owner.record) ?? this.#fetch(owner.node, owner.record, signal);
  }

  async callTool(tool: string, args: ToolArguments, options: SourceCallOptions = {}): Promise<SourceToolResult> {
    const call = { server: this.server, tool, args, options };
    let refusal: FleetError | undefined;
    for (const target of this.#targets()) {
      try {
        if (target.own !== undefined) return await target.own.callTool(tool, args, options);
        return await this.#context.callRemote(target, call);
      } catch (error) {
        // Only this error proves that nothing was delivered, so that the next owner may receive the call.
        if (!isFleetError(error) || error.code !== 'node-unreachable' || !error.retryable) throw error;
        refusal = error;
      }
    }
    throw refusal ?? this.#unavailable();
  }

  onToolsChanged(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  #currentView(): { readonly state: ToolSourceState; readonly owner: Owner | undefined } {
    const alive = this.#alive();
    const holder = this.placement === 'singleton' ? this.#context.holder(this.server) : undefined;
    const owner = alive.find(({ node }) => node === holder) ?? alive.find(({ own }) => own !== undefined) ?? alive[0];
    if (owner === undefined) return { state: 'unreachable', owner };
    const state = owner.own === undefined ? owner.record?.state : (owner.own.source.state ?? 'running');
    return { state: isState(state) ? state : 'running', owner };
  }

  #alive(): readonly Owner[] {
    return this.#owners.flatMap((node) => {
      const owner = this.#context.owner(node, this.server);
      return owner?.isAlive ? [owner] : [];
    });
  }

  #targets(): readonly Owner[] {
    const alive = this.#alive();
    if (this.placement === 'singleton') {
      const holder = this.#context.holder(this.server);
      return alive.filter(({ node, own }) => node === holder && (own?.acceptsCalls ?? true));
    }
    return orderOwners(alive.map((owner) => ({ ...owner, isOwn: owner.own !== undefined })));
  }

  /** Tools of a record if all are known. Equal tools give the same array. */
  #assemble({ tools }: ServerRecord): readonly SourceTool[] | undefined {
    const digests = this.#digestsOf(tools);
    if (digests === undefined) return undefined;
    const key = digests.join(' ');
    if (this.#listed?.key === key) return this.#listed.tools;
    const known = digests.map((digest) => this.#context.definitions.tool(digest));
    if (known.includes(undefined)) return undefined;
    const list = Object.freeze(known.filter((tool) => tool !== undefined));
    this.#listed = { key, tools: list };
    return list;
  }

  async #fetch(node: string, record: ServerRecord, signal: AbortSignal | undefined): Promise<readonly SourceTool[]> {
    const { definitions, defineClient } = this.#context;
    const { tools } = record;
    this.#isListingDue = true;
    const fetch = (digests: readonly string[], has: (digest: string) => boolean) =>
      this.#retrying(() => unlessAborted(defineClient.fetch(node, digests, has), signal), signal);
    if ('pages' in tools) await fetch(tools.pages, (digest) => definitions.page(digest) !== undefined);
    const digests = this.#digestsOf(tools) ?? [];
    await fetch(digests, (digest) => definitions.tool(digest) !== undefined);
    this.#isListingDue = false;
    // Omits tools that the owner has dropped since; its next record follows.
    return this.#assemble(record) ?? digests.flatMap((digest) => definitions.tool(digest) ?? []);
  }

  /** Retries while the node is alive, because callers of `listTools` do not retry. */
  async #retrying(fetch: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { owner } = this.#shown;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await fetch();
      } catch (error) {
        const mayPass =
          isFleetError(error) && TRANSIENT_CODES.has(error.code) && this.#shown.owner?.node === owner?.node;
        if (!mayPass || attempt === FETCH_ATTEMPTS) throw error;
      }
      await pause(FETCH_PAUSE_MS * attempt, signal);
    }
  }

  /** Digest of each tool; `undefined` until all pages are known. */
  #digestsOf(tools: ToolDigests): readonly string[] | undefined {
    const pages = 'pages' in tools ? tools.pages.map((page) => this.#context.definitions.page(page)) : [tools];
    const digests: string[] = [];
    for (const page of pages) {
      if (page === undefined) return undefined;
      // A node may list the same page a thousand times.
      if (digests.length + page.length > MAX_TOOLS) break;
      for (const [, digest] of page) digests.push(digest);
    }
    return digests;
  }

  #unavailable(): FleetError {
    const { name, server } = this;
    const nodes = this.#owners.join(', ');
    const what =
      this.placement === 'singleton'
        ? `"${name}" runs on no node; one of ${nodes} takes it over within a few heartbeats. Retry then`
        : `"${name}" cannot be called: ${nodes} cannot be reached`;
    return new FleetError('node-unreachable', what, { server, ...(this.#owners[0] && { node: this.#owners[0] }) });
  }
}

function isState(state: unknown): state is ToolSourceState {
  return typeof state === 'string' && STATES.has(state);
}
