import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from '@x/internal/errors';
import { Listeners } from '@x/internal/events';
import { isRecord } from '@x/internal/json';
import type { Redactor } from '@x/internal/secrets';
import type { ClientManagerOptions } from '@x/mcp-client-manager';
import type { ToolCallResult } from '@x/mcp-registry';
import type { InterceptedCall, Interceptor } from '@x/mcp-registry/interceptors';
import { redactMessage } from '../recording/redact-message.js';
import { askingForStages, asksForStages, maxStages, takeStages, withGateway, withStages } from './gateway-stages.js';
import {
  type CallStage,
  type GatewayStages,
  maxCalls,
  type RecordedCallView,
  type RecordedValue,
  type RecordingView,
} from './page-messages.js';
import { truncate } from './page-views.js';

/** Size of all recorded calls, in UTF-16 units of their JSON. */
const maxSize = 8_000_000;
/**
 * Size of one value, and of one text in it. Larger ones are left out, because a cut could show half a secret, and a
 * search for secrets takes the process a second for each half megabyte.
 */
const maxValueSize = 128 * 1_024;
const maxTextSize = 64 * 1_024;
/** Texts, numbers and the like in one value, and its objects and lists. */
const maxParts = 4_000;
const maxErrorLength = 2_000;

type Next = () => Promise<ToolCallResult>;
type Telemetry = NonNullable<ClientManagerOptions['telemetry']>;
type Operation = NonNullable<ReturnType<Telemetry['begin']>>;
type ObservedRequest = Parameters<Telemetry['begin']>[0];

/** A call while it is recorded. */
interface OpenRecord {
  readonly startedAt: number;
  readonly stages: CallStage[];
}

function sinceStart({ startedAt }: OpenRecord): number {
  return performance.now() - startedAt;
}

interface Kept {
  readonly call: RecordedCallView;
  readonly size: number;
}

/** Name of the interceptor, whose note in an audit event has the id of the record. */
const interceptorName = 'record-calls';

/**
 * Arguments, results and stages of the latest calls, in memory. Off until it is switched on. Values are stored without
 * known secrets, values under the names of secrets, and texts with the shape of one.
 */
export class CallRecords {
  readonly #redactor: () => Redactor;
  readonly #kept = new Map<number, Kept>();
  readonly #listeners = new Listeners<RecordingView>('recording');
  readonly #current = new AsyncLocalStorage<OpenRecord>();
  #isOn = false;
  /** Calls that are being recorded. */
  #open = 0;
  #size = 0;
  #count = 0;
  /** Changes when everything is forgotten, also what calls in progress would record. */
  #era = 0;

  /** @param redactor - Read for each value. */
  constructor(redactor: () => Redactor) {
    this.#redactor = redactor;
  }

  /** For the registry. Passes every call on while the recording is off. */
  readonly interceptor: Interceptor = {
    name: interceptorName,
    call: (call, next) => {
      const isAsked = asksForStages(call.options.meta);
      if (!this.#isOn) return isAsked ? this.#timeForClient(next) : next();
      this.#count += 1;
      const id = this.#count;
      call.note(String(id));
      return this.#record(id, call, next, isAsked);
    },
  };

  get view(): RecordingView {
    return { isOn: this.#isOn, calls: this.#kept.size, size: this.#size, maxCalls, maxSize };
  }

  onChange(listener: (view: RecordingView) => void): Disposable {
    return this.#listeners.add(listener);
  }

  /** Calls that began before are not recorded. */
  switch(isOn: boolean): void {
    this.#isOn = isOn;
    this.#release();
    this.#listeners.tell(this.view);
  }

  forget(): void {
    this.#era += 1;
    this.#kept.clear();
    this.#size = 0;
    this.#listeners.tell(this.view);
  }

  /** The recorded calls with the first 200 of these ids. Those that are not kept any more are left out. */
  list(ids: readonly number[]): readonly RecordedCallView[] {
    return ids.slice(0, maxCalls).flatMap((id) => this.#kept.get(id)?.call ?? []);
  }

  /** Ids of the calls whose arguments, result or error contain the text, in any case, or that have this trace. */
  find(text: string): readonly number[] {
    const wanted = text.toLowerCase();
    const texts = ({ args, result, error, traceId }: RecordedCallView) => [args.json, result?.json, error, traceId];
    const calls = [...this.#kept.values()].map(({ call }) => call);
    return calls.filter((call) => texts(call).some((each) => each?.toLowerCase().includes(wanted))).map(({ id }) => id);
  }

  /** Telemetry that also times the stages of recorded calls. */
  timing(telemetry: Telemetry): Telemetry {
    return {
      begin: (request) => {
        const operation = telemetry.begin(request);
        const record = this.#current.getStore();
        const isCall = request.kind === 'client' && request.method === 'tools/call';
        return record && isCall ? timedOperation(record, request, operation) : operation;
      },
      beginSession: (...session) => telemetry.beginSession(...session),
      observeServers: (read) => telemetry.observeServers(read),
    };
  }

  async #record(id: number, { args, options }: InterceptedCall, next: Next, isAsked: boolean): Promise<ToolCallResult> {
    const era = this.#era;
    const record: OpenRecord = { startedAt: performance.now(), stages: [] };
    const before = { id, args: this.#valueOf(args), ...traceOf(options.meta) };
    const keep = (call: RecordedCallView) => {
      if (era === this.#era) this.#keep(call);
    };
    try {
      const { result, ...times } = await this.#timed(record, next);
      keep({ ...before, ...times, result: this.#valueOf(result) });
      return isAsked ? withStages(result, times) : result;
    } catch (error) {
      keep({ ...before, stages: record.stages, tookMs: sinceStart(record), error: this.#errorOf(error) });
      throw error;
    }
  }

  /** Records nothing. */
  async #timeForClient(next: Next): Promise<ToolCallResult> {
    const { result, ...times } = await this.#timed({ startedAt: performance.now(), stages: [] }, next);
    return withStages(result, times);
  }

  async #timed(record: OpenRecord, next: Next): Promise<GatewayStages & { readonly result: ToolCallResult }> {
    mark(record, 'mcpx');
    this.#open += 1;
    try {
      const { result, gateway } = takeStages(await this.#current.run(record, next));
      return { result, stages: withGateway(record.stages, gateway), tookMs: sinceStart(record) };
    } finally {
      this.#open -= 1;
      this.#release();
    }
  }

  /** An `AsyncLocalStorage` that is in use slows down every promise of the process on Node 20. */
  #release(): void {
    if (!this.#isOn && this.#open === 0) this.#current.disable();
  }

  #valueOf(value: unknown): RecordedValue {
    try {
      const shown = withoutLongTexts(value);
      if (isTooLarge(shown)) return { left: `It has more than 128 KiB or ${maxParts.toLocaleString('en')} parts.` };
      return { json: JSON.stringify(redactMessage(shown, this.#redactor())) ?? 'null' };
    } catch {
      return { left: 'It is nested too deeply.' };
    }
  }

  #errorOf(error: unknown): string {
    return truncate(String(redactMessage(messageOf(error), this.#redactor())), maxErrorLength);
  }

  #keep(call: RecordedCallView): void {
    const size = JSON.stringify(call).length;
    this.#kept.set(call.id, { call, size });
    this.#size += size;
    for (const [id, kept] of this.#kept) {
      if (this.#kept.size <= maxCalls && this.#size <= maxSize) break;
      this.#kept.delete(id);
      this.#size -= kept.size;
    }
    this.#listeners.tell(this.view);
  }
}

/** Id of the record that an audit event names. */
export function recordIn(
  interceptors: readonly { readonly interceptor: string; readonly note?: string | undefined }[] = [],
): number | undefined {
  const note = interceptors.find(({ interceptor }) => interceptor === interceptorName)?.note;
  return note === undefined ? undefined : Number(note);
}

function mark({ startedAt, stages }: OpenRecord, stage: CallStage['stage'], facts: Partial<CallStage> = {}): void {
  if (stages.length < maxStages) stages.push({ stage, atMs: performance.now() - startedAt, ...facts });
}

/** The request in the queue of its server, waiting for its start, at the server, and back. */
function timedOperation(record: OpenRecord, request: ObservedRequest, operation: Operation | undefined): Operation {
  mark(record, 'queue', request.server === undefined ? {} : { server: request.server });
  return {
    headers: operation?.headers ?? {},
    meta: askingForStages(operation ? operation.meta : request.meta),
    sent: (id, peer) => {
      mark(record, 'server', { transport: peer.transport, ...hostOf(peer.url) });
      operation?.sent(id, peer);
    },
    divided: () => operation?.divided(),
    event: (name) => {
      if (name === 'mcpx.server.awaited') mark(record, 'start');
      if (name === 'mcpx.connection.lost') mark(record, 'lost');
      operation?.event(name);
    },
    during: (work) => (operation ? operation.during(work) : work()),
    end: (outcome) => {
      mark(record, 'mcpx');
      operation?.end(outcome);
    },
  };
}

function hostOf(url: string | undefined): { readonly host?: string } {
  return url !== undefined && URL.canParse(url) ? { host: truncate(new URL(url).host, 200) } : {};
}

/** The version may be a later one, with further fields. */
const traceParent = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/;

function traceOf(meta: Readonly<Record<string, unknown>> | undefined): { readonly traceId?: string } {
  const traceId = typeof meta?.traceparent === 'string' ? traceParent.exec(meta.traceparent)?.[1] : undefined;
  return traceId === undefined ? {} : { traceId };
}

/** Counts no further than the bounds. */
function isTooLarge(value: unknown): boolean {
  const open = [value];
  let size = 0;
  for (let parts = 0; open.length > 0; parts++) {
    if (parts > maxParts || open.length > maxParts || size > maxValueSize) return true;
    const next = open.pop();
    if (typeof next === 'string') size += next.length;
    else if (Array.isArray(next)) open.push(...next.slice(0, maxParts + 1));
    else if (isRecord(next)) {
      for (const [key, member] of Object.entries(next)) {
        size += key.length;
        open.push(member);
      }
    }
  }
  return size > maxValueSize;
}

function withoutLongTexts(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > maxTextSize ? `(${value.length.toLocaleString('en')} characters are not recorded)` : value;
  }
  if (Array.isArray(value)) return value.map(withoutLongTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutLongTexts(each)]));
}
