/** Params that are not looked at before they reach whom they are for. */
export const ANY_PARAMS = {
  '~standard': {
    version: 1 as const,
    vendor: '@x/mcp-registry',
    validate: (value: unknown) => ({ value: value as Readonly<Record<string, unknown>> }),
  },
};
