/** The seam between the search and what orders its hits. */
export interface Ranker {
  /** The tools that answer the query at all, best first. Scores compare within one answer only. */
  rank(query: string): readonly RankedTool[];
}

export interface RankedTool {
  /** Public name. */
  readonly name: string;
  readonly score: number;
}
