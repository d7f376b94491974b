export interface RankedTool {
  readonly name: string;
  /** More than 0. Comparable within one result only. */
  readonly score: number;
  /** Matched share of the query, 0 to 1. Comparable across results. */
  readonly coverage: number;
  readonly matched: readonly { readonly field: string; readonly terms: readonly string[] }[];
  /** True if the tool's own name has a word of the query's subject. */
  readonly isNamed: boolean;
}
