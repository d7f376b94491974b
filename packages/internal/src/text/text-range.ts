export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}
