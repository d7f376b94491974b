import { digest } from '@x/internal/digests';
import type { Snapshot } from '../catalog/snapshot.js';
import { diffDocuments, hasChanges } from './document-changes.js';
import type { Ranking } from './fuse-rankings.js';
import type { FoundTool } from './search-answer.js';
import { readCursor, writeCursor } from './search-cursor.js';
import type { SearchPolicy } from './search-request.js';

export interface AnswerPage {
  readonly offset: number;
  readonly end: number;
  /** @param found - Best first, at least up to `end`. */
  of(found: readonly FoundTool[], total: number): PagedTools;
}

interface PagedTools {
  readonly total: number;
  readonly tools: readonly FoundTool[];
  readonly truncated: boolean;
  readonly nextCursor?: string;
}

/** Divides results into pages. Cursors are valid while the order is the same. */
export class AnswerPages {
  /** Distinguishes views and processes. */
  readonly #id = Math.random().toString(36).slice(2, 10);
  #content: { readonly snapshot: Snapshot; readonly revision: number } | undefined;

  /**
   * @param rankings - The rankers' orders, which affect the cursor.
   * @throws {RegistryError} `invalid-cursor`
   */
  page(policy: SearchPolicy, snapshot: Snapshot, rankings: readonly Ranking[] = []): AnswerPage {
    const { query, useRegex, server, include, limit, cursor } = policy;
    const revision = include === 'ready' ? snapshot.revision : this.#contentRevision(snapshot);
    const order = rankings.length === 0 ? '' : `-${digest(JSON.stringify(rankings))}`;
    const scope = {
      search: [query, useRegex, server ?? null, include],
      version: `${this.#id}-${revision.toString(36)}${order}`,
    };
    const offset = cursor === undefined ? 0 : readCursor(cursor, scope);
    const end = offset + limit;
    return {
      offset,
      end,
      of: (found, total) => ({
        total,
        tools: found.slice(offset, end),
        truncated: total > end,
        ...(total > end ? { nextCursor: writeCursor(end, scope) } : {}),
      }),
    };
  }

  /** The last revision that affects the order; states of sources do not. */
  #contentRevision(snapshot: Snapshot): number {
    const seen = this.#content;
    if (seen?.snapshot === snapshot) return seen.revision;
    const isSame = seen !== undefined && !hasChanges(diffDocuments(seen.snapshot, snapshot));
    this.#content = { snapshot, revision: isSame ? seen.revision : snapshot.revision };
    return this.#content.revision;
  }
}
