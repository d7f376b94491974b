import { readFileSync } from 'node:fs';
import { KeywordIndex } from '../../../src/search/index/keyword-index.js';
import { splitNeeds } from '../../../src/search/query/needs.js';
import { QUERIES, TOOLS, toDocument } from './evaluation-set.js';
import type { EvaluationQuery, EvaluationTool } from './figures.js';

/**
 * `own`: the tools that the set means. `fieldGone`: those without all servers of the right tools' field. `otherField`: the
 * tools of a suite about something else.
 */
export type Catalog = 'own' | 'fieldGone' | 'otherField';

export interface Judged {
  readonly suite: string;
  readonly query: string;
  /** Server of the first right tool. */
  readonly server: string;
  readonly fit: number;
  readonly isWeak: boolean;
  /** Place of the first right tool, from 0; -1 if it is not among the first five. */
  readonly place: number;
}

/** The fields of the servers of LiveMCPBench, some of which belong to several. */
const FIELDS: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL('data/fields.json', import.meta.url), 'utf8'),
);

/** Queries that the set answers from the field that is left as well. */
const STILL_POSSIBLE = /git or file system: .* directory listing/;

/** MetaTool has a tool a product and says nothing of fields. */
const SUITES: Readonly<Record<Catalog, readonly string[]>> = {
  own: ['azure-a', 'livemcp-agent', 'livemcp-task', 'metatool-a'],
  fieldGone: ['azure-a', 'livemcp-agent', 'livemcp-task'],
  otherField: ['azure-a', 'livemcp-agent', 'livemcp-task', 'metatool-a'],
};

export function judgeQueries(catalog: Catalog): readonly Judged[] {
  const indexes = new Map<string, KeywordIndex>();
  return QUERIES.filter(({ suite, query }) => SUITES[catalog].includes(suite) && isAsked(catalog, query)).map(
    (query) => {
      const right = rightToolsOf(query);
      const gone = catalog === 'fieldGone' ? serversOfField(right) : new Set<string>();
      const suites = suitesOf(query, catalog);
      const key = JSON.stringify([suites, ...gone]);
      const index =
        indexes.get(key) ?? openIndex(TOOLS.filter((tool) => suites.includes(tool.suite) && !gone.has(tool.server)));
      indexes.set(key, index);
      const { ranked } = index.rank(query.query, { limit: 5 });
      const { fit, isWeak } = judgeNeeds(index, query.query);
      const place = ranked.findIndex(({ name }) => right.has(name));
      const [server = ''] = Array.from(right, serverOf);
      return { suite: query.suite, query: query.query, server, fit, isWeak, place };
    },
  );
}

/** The verdict on the need that fits best, as a result has it. */
function judgeNeeds(index: KeywordIndex, query: string) {
  const needs = splitNeeds(query);
  const verdicts = (needs.length > 0 ? needs : [query]).map((need) => index.rank(need, { limit: 1 }));
  return { fit: Math.max(...verdicts.map(({ fit }) => fit)), isWeak: verdicts.every(({ isWeak }) => isWeak) };
}

/** In percent. */
export function shareOf(judged: readonly Judged[], suite: string, threshold?: number): number {
  const rows = judged.filter((each) => each.suite === suite);
  const weak = rows.filter(({ fit, isWeak }) => (threshold === undefined ? isWeak : fit < threshold));
  return (100 * weak.length) / rows.length;
}

function isAsked(catalog: Catalog, query: string): boolean {
  return catalog !== 'fieldGone' || !STILL_POSSIBLE.test(query);
}

function suitesOf({ suite, pool }: EvaluationQuery, catalog: Catalog): readonly string[] {
  if (catalog === 'own') return pool;
  if (suite === 'azure-a') return catalog === 'fieldGone' ? ['livemcp'] : ['metatool-a'];
  if (catalog === 'fieldGone') return pool;
  return ['azure-a'];
}

function rightToolsOf({ gold, goldGroups }: EvaluationQuery): ReadonlySet<string> {
  return new Set(goldGroups?.flat() ?? gold);
}

function serversOfField(right: ReadonlySet<string>): ReadonlySet<string> {
  const own = new Set(Array.from(right, serverOf));
  const fields = Object.values(FIELDS).filter((servers) => servers.some((server) => own.has(server)));
  return new Set([...own, ...fields.flat()]);
}

function serverOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

function openIndex(tools: readonly EvaluationTool[]): KeywordIndex {
  const index = new KeywordIndex();
  for (const tool of tools) index.add(toDocument(tool));
  return index;
}
