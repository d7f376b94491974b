import type { SourceTool } from '@x/internal/contracts';
import type { FleetBus } from '../bus.js';
import { FleetError, type FleetErrorCode, isFleetError } from '../errors.js';
import type { FleetSource } from '../source.js';
import { announceDefinitions } from './announcements.js';
import { maxDefinitionBytes } from './define-service.js';
import { type Definition, defineTool, utf8Length } from './definition.js';
import { pageDigests } from './page-digests.js';
import {
  encodeServer,
  MAX_TOOLS,
  type Placement,
  serverContent,
  serverKey,
  type ToolDigest,
  type ToolDigests,
} from './records.js';
import { ToolLister } from './tool-lister.js';

const RETRY_MS = 5_000;
const DELETE_TIMEOUT_MS = 5_000;

interface PublisherOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly source: FleetSource;
  readonly placement: Exclude<Placement, 'local'>;
  incarnation(): number | undefined;
  nextSeq(): number;
  isKnown(digest: string): boolean;
  onChange(): void;
  /** A tool or the whole record could not be published. The record is retried. */
  onProblem(error: unknown): void;
}

/**
 * Keeps the record of one server current, with one write at a time: constant changes cost one record per round trip.
 */
export class Publisher implements AsyncDisposable {
  readonly #options: PublisherOptions;
  readonly #lister: ToolLister;
  readonly #subscription: Disposable | undefined;
  readonly #lifetime = new AbortController();
  /** Tools of the last listing by name; most are equal in the next. */
  #tools: ReadonlyMap<string, SourceTool> = new Map();
  #definitions: ReadonlyMap<string, Definition> = new Map();
  /** Definitions of the previous record, for nodes that have just read it. */
  #previous: ReadonlyMap<string, Definition> = new Map();
  #refused: ReadonlySet<string> = new Set();
  #written: string | undefined;
  #mayBeWritten = false;
  #toolCount = 0;
  #isOutdated = false;
  #publishing: Promise<void> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#lister = new ToolLister(options.node, options.source);
    this.#subscription = options.source.onToolsChanged?.(() => {
      if (!this.#lister.isInSource) void this.publish();
      options.onChange();
    });
  }

  get toolCount(): number {
    return this.#toolCount;
  }

  find(digest: string): Definition | undefined {
    return this.#definitions.get(digest) ?? this.#previous.get(digest);
  }

  publish({ anew = false } = {}): Promise<void> {
    if (anew) this.#written = undefined;
    this.#isOutdated = true;
    this.#publishing ??= this.#publishAll().finally(() => {
      this.#publishing = undefined;
    });
    return this.#publishing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new FleetError('closed', 'The server is no longer offered to the fleet');
    this.#lifetime.abort(closed);
    this.#lister.stop(closed);
    clearTimeout(this.#retryTimer);
    try {
      this.#subscription?.[Symbol.dispose]();
    } finally {
      await this.#publishing;
      await this.#withdraw();
    }
  }

  async #withdraw(): Promise<void> {
    const { bus, node, source } = this.#options;
    if (!this.#mayBeWritten || !bus.isConnected) return;
    const signal = AbortSignal.timeout(DELETE_TIMEOUT_MS);
    await bus.bucket.delete(serverKey(node, source.name), { signal }).catch(() => undefined);
  }

  async #publishAll(): Promise<void> {
    const { signal } = this.#lifetime;
    while (this.#isOutdated && !signal.aborted) {
      this.#isOutdated = false;
      try {
        await this.#publishOnce(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onProblem(error);
        // Retries no other errors: they are permanent, or the source announces the next change.
        if (isFleetError(error) && error.code === 'bus-down') this.#retryLater();
      }
    }
  }

  #retryLater(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      // Does nothing without a connection: a reconnect publishes everything.
      if (this.#options.bus.isConnected) void this.publish();
    }, RETRY_MS);
  }

  async #publishOnce(signal: AbortSignal): Promise<void> {
    const { bus, node, source, placement, incarnation, nextSeq } = this.#options;
    const tools = await this.#lister.list();
    const life = incarnation();
    if (life === undefined || signal.aborted) return;
    const { listed, fresh } = this.#define(tools);
    const content = serverContent({ incarnation: life, placement, state: source.state ?? 'running', tools: listed });
    if (content === this.#written) return;
    this.#mayBeWritten = true;
    // Set before the write, so that the write does not undo a later `publish({ anew: true })`.
    this.#written = content;
    try {
      announceDefinitions(bus, node, fresh);
      await bus.bucket.put(serverKey(node, source.name), encodeServer(content, nextSeq()), { signal });
    } catch (error) {
      this.#written = undefined;
      throw error;
    }
  }

  #define(tools: readonly SourceTool[]): { readonly listed: ToolDigests; readonly fresh: readonly string[] } {
    const known = new Map<string, SourceTool>();
    const definitions = new Map<string, Definition>();
    const refused = new Set<string>();
    const digests: ToolDigest[] = [];
    for (const tool of this.#limited(tools, refused)) {
      const definition = this.#definitionOf(tool, refused);
      if (definition === undefined) continue;
      known.set(tool.name, tool);
      definitions.set(definition.digest, definition);
      digests.push([tool.name, definition.digest]);
    }
    const { pages, listed } = pageDigests(digests, maxDefinitionBytes(this.#options.bus));
    for (const page of pages) definitions.set(page.digest, page);
    const fresh = this.#replace(definitions);
    this.#tools = known;
    this.#refused = refused;
    this.#toolCount = digests.length;
    return { listed, fresh };
  }

  /**
   * @returns Texts that no other node can have. None for a new server, which other nodes fetch on demand, so that a
   *   starting fleet does not send everything to every node.
   */
  #replace(definitions: ReadonlyMap<string, Definition>): readonly string[] {
    const [before, earlier] = [this.#definitions, this.#previous];
    const added = Array.from(definitions.values()).filter(({ digest }) => !before.has(digest));
    this.#definitions = definitions;
    if (added.length === 0 && definitions.size === before.size) return [];
    this.#previous = before;
    if (before.size === 0) return [];
    return added.flatMap(({ digest, text }) => (earlier.has(digest) || this.#options.isKnown(digest) ? [] : text));
  }

  /** `undefined` for a tool that cannot be offered; the others still are. */
  #definitionOf(tool: SourceTool, refused: Set<string>): Definition | undefined {
    const maxBytes = maxDefinitionBytes(this.#options.bus);
    const what = () =>
      `The tool ${JSON.stringify(tool?.name)} of "${this.#options.source.name}" is not offered to the fleet`;
    if (typeof tool?.name !== 'string') {
      this.#refuse('source-error', `${what()}: it has no name`, refused);
      return undefined;
    }
    try {
      const definition = defineTool(tool, this.#tools.get(tool.name));
      if (definition.text.length * 3 <= maxBytes || utf8Length(definition.text) <= maxBytes) return definition;
    } catch (cause) {
      this.#refuse('source-error', `${what()}: its definition cannot be written as JSON`, refused, { cause });
      return undefined;
    }
    this.#refuse('message-too-large', `${what()}: its definition is longer than ${maxBytes} bytes`, refused);
    return undefined;
  }

  #limited(tools: readonly SourceTool[], refused: Set<string>): readonly SourceTool[] {
    if (tools.length <= MAX_TOOLS) return tools;
    const { source } = this.#options;
    const message = `"${source.name}" has ${tools.length} tools; only the first ${MAX_TOOLS} are offered to the fleet`;
    this.#refuse('message-too-large', message, refused);
    return tools.slice(0, MAX_TOOLS);
  }

  #refuse(code: FleetErrorCode, message: string, refused: Set<string>, options: ErrorOptions = {}): void {
    const { source, node, onProblem } = this.#options;
    refused.add(message);
    if (!this.#refused.has(message))
      onProblem(new FleetError(code, message, { ...options, node, server: source.name }));
  }
}
