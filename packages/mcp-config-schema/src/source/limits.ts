export const limits = {
  /** Servers of all texts together; tools of one text. */
  servers: 10_000,
  entryValues: 20_000,
  /** Listed errors of one text; also listed warnings. */
  issues: 1_000,
} as const;
