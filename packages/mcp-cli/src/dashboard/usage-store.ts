import type { CallHistory } from './call-history.js';
import type { CallView, UsageFigures, UsageReport, UsageRow, UsageSpan } from './page-messages.js';
import { UsageSeries, type UsedCall } from './usage-series.js';

const usageSpans: Readonly<Record<UsageSpan, { readonly slots: number; readonly slotMs: number }>> = {
  '5m': { slots: 30, slotMs: 10_000 },
  '1h': { slots: 60, slotMs: 60_000 },
  '24h': { slots: 48, slotMs: 1_800_000 },
};

const spanNames = Object.keys(usageSpans) as UsageSpan[];

/** Names per dimension. The calls of further names count as `others`. */
const maxNames = { servers: 256, tools: 256, clients: 64, roles: 64 } as const;
type Dimension = keyof typeof maxNames;

const namesOf: Readonly<Record<Dimension, (call: CallView) => string | undefined>> = {
  servers: ({ server }) => server,
  // A refused name without a server can be anything.
  tools: ({ server, tool, outcome }) => (server === undefined && outcome === 'refused' ? undefined : tool),
  clients: ({ client }) => client,
  roles: ({ role }) => role,
};

const dayMs = 86_400_000;

/**
 * Counts calls by server, tool, client and role, over three spans. Takes 15 kB for each name, 10 MB at most. Names
 * without calls for a day are dropped.
 */
export class UsageStore implements Disposable {
  readonly #now: () => number;
  readonly #listening: Disposable;
  readonly #total = new Usage();
  readonly #dimensions = new Map<Dimension, UsageByName>();

  /** @param now - In milliseconds since 1970. Default `Date.now`. */
  constructor(calls: Pick<CallHistory, 'onCall'>, now: () => number = () => Date.now()) {
    this.#now = now;
    for (const name of Object.keys(maxNames) as Dimension[])
      this.#dimensions.set(name, new UsageByName(maxNames[name]));
    this.#listening = calls.onCall((call) => this.#add(call));
  }

  report(span: UsageSpan): UsageReport {
    const at = this.#now();
    const rows = (dimension: Dimension, options?: { readonly hasPoints: true }): readonly UsageRow[] =>
      this.#dimensions.get(dimension)?.rows(span, at, options) ?? [];
    return {
      span,
      at,
      slotMs: usageSpans[span].slotMs,
      total: this.#total.in(span).sum(at),
      points: this.#total.in(span).points(at),
      servers: rows('servers', { hasPoints: true }),
      tools: rows('tools'),
      clients: rows('clients'),
      roles: rows('roles'),
    };
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #add(call: CallView): void {
    if (call.outcome === 'running') return;
    const at = this.#now();
    const used: UsedCall = { outcome: outcomeOf(call), durationMs: call.durationMs };
    this.#total.add(used, at);
    for (const [dimension, usage] of this.#dimensions) usage.add(namesOf[dimension](call), used, at);
  }
}

function outcomeOf({ outcome }: CallView): UsedCall['outcome'] {
  if (outcome === 'refused') return 'refused';
  return outcome === 'failed' || outcome === 'tool-error' ? 'error' : 'ok';
}

/** One name over all spans. */
class Usage {
  readonly #series = new Map(spanNames.map((span) => [span, new UsageSeries(usageSpans[span])]));
  usedAt = 0;

  add(call: UsedCall, at: number): void {
    this.usedAt = at;
    for (const series of this.#series.values()) series.add(call, at);
  }

  in(span: UsageSpan): UsageSeries {
    return this.#series.get(span) as UsageSeries;
  }
}

class UsageByName {
  readonly #max: number;
  readonly #names = new Map<string, Usage>();
  readonly #others = new Usage();

  constructor(max: number) {
    this.#max = max;
  }

  /** Calls without a name are not counted. */
  add(name: string | undefined, call: UsedCall, at: number): void {
    if (name !== undefined) this.#usageOf(name, at).add(call, at);
  }

  /** Names with calls in the span, most calls first; `others` without a name last. */
  rows(span: UsageSpan, at: number, { hasPoints = false }: { readonly hasPoints?: boolean } = {}): readonly UsageRow[] {
    const rowOf = (usage: Usage, name?: string): UsageRow => ({
      ...(name !== undefined && { name }),
      ...usage.in(span).sum(at),
      ...(hasPoints && {
        points: usage
          .in(span)
          .points(at)
          .map(({ calls }) => calls),
      }),
    });
    const named = Array.from(this.#names, ([name, usage]) => rowOf(usage, name)).filter(isUsed);
    return [...named.toSorted((one, other) => other.calls - one.calls), ...[rowOf(this.#others)].filter(isUsed)];
  }

  #usageOf(name: string, at: number): Usage {
    const known = this.#names.get(name);
    if (known) return known;
    if (this.#names.size >= this.#max) this.#dropUnused(at);
    if (this.#names.size >= this.#max) return this.#others;
    const usage = new Usage();
    this.#names.set(name, usage);
    return usage;
  }

  #dropUnused(at: number): void {
    for (const [name, { usedAt }] of this.#names) if (at - usedAt > dayMs) this.#names.delete(name);
  }
}

function isUsed({ calls, refused }: UsageFigures): boolean {
  return calls + refused > 0;
}
