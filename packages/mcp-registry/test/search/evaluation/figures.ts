/** A tool of the set, without what is not searched. */
export interface EvaluationTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Record<string, unknown>;
  /** The source it came from. */
  readonly suite: string;
}

export interface EvaluationQuery {
  readonly query: string;
  /** `server/name` of the right answers. */
  readonly gold: readonly string[];
  /** What has to be found, each by any of its tools. Without it, `gold` is the one group. */
  readonly goldGroups?: readonly (readonly string[])[];
  readonly suite: string;
  /** The suites of the tools that the query is asked of. */
  readonly pool: readonly string[];
}

/** In percent. */
export interface Figures {
  readonly hitAt1: number;
  readonly recallAt5: number;
  readonly ndcgAt10: number;
}

/** Answers with the keys (`server/name`) of the best tools, best first. */
export type Search = (query: string) => readonly string[];

/** Own: the tools that the set means for the query. All: every tool of the set, so that some strangers fit as well. */
export type PoolMode = 'own' | 'all';

/** Judges a search by every query of the set. */
export function measureSearch(
  tools: readonly EvaluationTool[],
  queries: readonly EvaluationQuery[],
  mode: PoolMode,
  open: (tools: readonly EvaluationTool[]) => Search,
): ReadonlyMap<string, Figures> {
  const rows = new Map<string, Figures[]>();
  const searches = new Map<string, Search>();
  for (const query of queries) {
    const pool = mode === 'all' ? '' : query.pool.toSorted().join();
    const search =
      searches.get(pool) ?? open(mode === 'all' ? tools : tools.filter(({ suite }) => query.pool.includes(suite)));
    searches.set(pool, search);
    const suite = rows.get(query.suite) ?? [];
    suite.push(judge(search(query.query), query.goldGroups ?? [query.gold]));
    rows.set(query.suite, suite);
  }
  const figures = new Map(Array.from(rows, ([suite, each]) => [suite, meanOf(each)]));
  return figures.set('macro', meanOf(Array.from(figures.values())));
}

function judge(found: readonly string[], groups: readonly (readonly string[])[]): Figures {
  const ranks = groups.map((group) => Math.min(...group.map((key) => rankOf(found.indexOf(key)))));
  const places = new Set<number>();
  for (const rank of ranks) {
    // Two groups with one tool in common are found at two places.
    let place = rank;
    while (places.has(place)) place++;
    if (rank < 10) places.add(place);
  }
  const gain = (all: Iterable<number>) => Array.from(all).reduce((sum, place) => sum + 1 / Math.log2(place + 2), 0);
  const ideal = gain(Array.from({ length: Math.min(10, groups.length) }, (_, place) => place));
  return {
    hitAt1: Math.min(...ranks) === 0 ? 100 : 0,
    recallAt5: (100 * ranks.filter((rank) => rank < 5).length) / groups.length,
    ndcgAt10: (100 * gain(places)) / ideal,
  };
}

function rankOf(index: number): number {
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

function meanOf(rows: readonly Figures[]): Figures {
  const mean = (of: (row: Figures) => number) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  return {
    hitAt1: mean(({ hitAt1 }) => hitAt1),
    recallAt5: mean(({ recallAt5 }) => recallAt5),
    ndcgAt10: mean(({ ndcgAt10 }) => ndcgAt10),
  };
}
