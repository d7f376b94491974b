import type { FleetBus } from '../bus.js';
import { FleetError, type FleetErrorCode, isFleetError } from '../errors.js';
import type { FleetSource, SourceTool } from '../source.js';
import { unlessAborted } from '../unless-aborted.js';
import { maxDefinitionBytes } from './define-service.js';
import { type Definition, defineTool } from './definition.js';
import {
  encodeServer,
  MAX_FRESH_LENGTH,
  MAX_TOOLS,
  type Placement,
  type ServerRecord,
  serverKey,
  type ToolDigest,
  type ToolDigests,
} from './records.js';
import { tellDigests } from './tell-digests.js';
import { utf8Length } from './utf8-length.js';

/** How long a source may take to list its tools, in milliseconds. */
const LIST_TIMEOUT_MS = 30_000;
/** Wait before a record is written once more that the bus did not take, in milliseconds. */
const RETRY_MS = 5_000;
/** How long the record's end may take to be told, in milliseconds. */
const DELETE_TIMEOUT_MS = 5_000;

export interface PublisherOptions {
  readonly bus: FleetBus;
  readonly host: string;
  readonly source: FleetSource;
  readonly placement: Exclude<Placement, 'local'>;
  /** The lease's; nothing is written while there is none. */
  incarnation(): number | undefined;
  /** The next number of this host's records. */
  nextSeq(): number;
  /** Called when the source announces that it offers something else. */
  onChange(): void;
  /** What could not be told to the fleet: a tool that is left out, or all of it, which is tried again. */
  onProblem(error: unknown): void;
}

/**
 * Keeps the record of one of this host's servers up to date. One write at a time: whatever changes meanwhile is in the
 * next one, so that a server which changes without end costs the bus one message a round trip at most.
 */
export class Publisher implements AsyncDisposable {
  readonly #options: PublisherOptions;
  readonly #subscription: Disposable | undefined;
  readonly #lifetime = new AbortController();
  #definitions: ReadonlyMap<string, Definition> = new Map();
  /** What was offered before; who has just read the record before may still ask. */
  #previous: ReadonlyMap<string, Definition> = new Map();
  /** What was told of tools that are left out: once is enough. */
  #refused: ReadonlySet<string> = new Set();
  #written: string | undefined;
  #mayBeWritten = false;
  #toolCount = 0;
  #isOutdated = false;
  #publishing: Promise<void> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#subscription = options.source.onToolsChanged?.(() => {
      void this.publish();
      options.onChange();
    });
  }

  /** How many tools were told last. */
  get toolCount(): number {
    return this.#toolCount;
  }

  find(digest: string): Definition | undefined {
    return this.#definitions.get(digest) ?? this.#previous.get(digest);
  }

  /** Settles when the fleet has what the source offers now, or the attempt has failed and was reported. */
  publish({ anew = false } = {}): Promise<void> {
    if (anew) this.#written = undefined;
    this.#isOutdated = true;
    this.#publishing ??= this.#publishAll().finally(() => {
      this.#publishing = undefined;
    });
    return this.#publishing;
  }

  /** Takes the record back, if the bus can be reached. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort(new FleetError('closed', 'The server is not offered to the fleet any more'));
    clearTimeout(this.#retryTimer);
    try {
      this.#subscription?.[Symbol.dispose]();
    } finally {
      await this.#publishing;
      await this.#takeBack();
    }
  }

  async #takeBack(): Promise<void> {
    const { bus, host, source } = this.#options;
    if (!this.#mayBeWritten || !bus.isConnected) return;
    const signal = AbortSignal.timeout(DELETE_TIMEOUT_MS);
    await bus.bucket.delete(serverKey(host, source.name), { signal }).catch(() => undefined);
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
        // What is forbidden or too long stays so; what the source could not list, it announces when it can.
        if (isFleetError(error) && error.code === 'bus-down') this.#retryLater();
      }
    }
  }

  #retryLater(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      // After a reconnect all is told anyway.
      if (this.#options.bus.isConnected) void this.publish();
    }, RETRY_MS);
  }

  async #publishOnce(signal: AbortSignal): Promise<void> {
    const { bus, host, source, placement, incarnation, nextSeq } = this.#options;
    const tools = await this.#list(signal);
    const life = incarnation();
    if (life === undefined || signal.aborted) return;
    const { told, fresh } = this.#define(tools);
    const content = { incarnation: life, placement, state: source.state ?? 'running', tools: told };
    const text = JSON.stringify(content);
    if (text === this.#written) return;
    const record: ServerRecord = { ...content, seq: nextSeq() };
    this.#mayBeWritten = true;
    // Before it is written: whoever wants it told anew meanwhile is not to be overruled by what was under way.
    this.#written = text;
    try {
      const whole = encodeServer(record, fresh);
      const value = whole.byteLength <= maxDefinitionBytes(bus) ? whole : encodeServer(record, []);
      await bus.bucket.put(serverKey(host, source.name), value, { signal });
    } catch (error) {
      this.#written = undefined;
      throw error;
    }
  }

  /** A source that never answers keeps neither the next change from being told nor the fleet from being left. */
  async #list(signal: AbortSignal): Promise<readonly SourceTool[]> {
    const { source, host } = this.#options;
    const limit = new AbortController();
    const message = `"${source.name}" did not list its tools within ${LIST_TIMEOUT_MS} milliseconds`;
    const late = new FleetError('timed-out', message, { host, server: source.name });
    const timer = setTimeout(() => limit.abort(late), LIST_TIMEOUT_MS);
    const either = AbortSignal.any([signal, limit.signal]);
    try {
      const tools: unknown = await unlessAborted(source.listTools({ signal: either }), either);
      if (!Array.isArray(tools)) throw new TypeError(`listTools of "${source.name}" gave no list but ${typeof tools}`);
      return tools;
    } finally {
      clearTimeout(timer);
    }
  }

  #define(tools: readonly SourceTool[]): { readonly told: ToolDigests; readonly fresh: readonly string[] } {
    const definitions = new Map<string, Definition>();
    const refused = new Set<string>();
    const digests: ToolDigest[] = [];
    for (const tool of this.#cut(tools, refused)) {
      const definition = this.#definitionOf(tool, refused);
      if (definition === undefined) continue;
      definitions.set(definition.digest, definition);
      digests.push([tool.name, definition.digest]);
    }
    const { pages, told } = tellDigests(digests, maxDefinitionBytes(this.#options.bus));
    for (const page of pages) definitions.set(page.digest, page);
    const fresh = freshOf(definitions, this.#definitions);
    if (!hasAll(definitions, this.#definitions)) this.#previous = this.#definitions;
    this.#definitions = definitions;
    this.#refused = refused;
    this.#toolCount = digests.length;
    return { told, fresh };
  }

  /** `undefined` for a tool that cannot be offered, which keeps no other tool from being offered. */
  #definitionOf(tool: SourceTool, refused: Set<string>): Definition | undefined {
    const maxBytes = maxDefinitionBytes(this.#options.bus);
    const what = `The tool ${JSON.stringify(tool?.name)} of "${this.#options.source.name}" is not offered to the fleet`;
    try {
      const definition = defineTool(tool);
      if (definition.text.length * 3 <= maxBytes || utf8Length(definition.text) <= maxBytes) return definition;
    } catch (cause) {
      this.#refuse('source-error', `${what}: its definition cannot be written as JSON`, refused, { cause });
      return undefined;
    }
    this.#refuse('message-too-large', `${what}: its definition is longer than ${maxBytes} bytes`, refused);
    return undefined;
  }

  #cut(tools: readonly SourceTool[], refused: Set<string>): readonly SourceTool[] {
    if (tools.length <= MAX_TOOLS) return tools;
    const { source } = this.#options;
    const message = `"${source.name}" has ${tools.length} tools; only the first ${MAX_TOOLS} are offered to the fleet`;
    this.#refuse('message-too-large', message, refused);
    return tools.slice(0, MAX_TOOLS);
  }

  #refuse(code: FleetErrorCode, message: string, refused: Set<string>, options: ErrorOptions = {}): void {
    const { source, host, onProblem } = this.#options;
    refused.add(message);
    if (!this.#refused.has(message))
      onProblem(new FleetError(code, message, { ...options, host, server: source.name }));
  }
}

function hasAll(wanted: ReadonlyMap<string, unknown>, known: ReadonlyMap<string, unknown>): boolean {
  return wanted.size === known.size && Array.from(wanted.keys()).every((digest) => known.has(digest));
}

/** Texts of definitions that were not there before, unless they are too long to be brought along. */
function freshOf(now: ReadonlyMap<string, Definition>, before: ReadonlyMap<string, Definition>): readonly string[] {
  const fresh: string[] = [];
  let length = 0;
  for (const { digest, text } of now.values()) {
    if (before.has(digest)) continue;
    length += text.length;
    if (length > MAX_FRESH_LENGTH) return [];
    fresh.push(text);
  }
  return fresh;
}
