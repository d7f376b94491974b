/** Bounds on a configuration, beside those of its texts. */
export const limits = {
  /** Servers of all texts together, and tools of one text. */
  servers: 10_000,
  /** Values of one entry. */
  entryValues: 20_000,
  /** Errors of one text that are listed, and as many warnings. */
  issues: 1_000,
} as const;
