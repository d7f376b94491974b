/** A schema of params and results that are not looked at here: whom they are for checks them. */
export const UNREAD_FIELDS = {
  '~standard': {
    version: 1 as const,
    vendor: '@x/mcp-gateway',
    validate: (value: unknown) => ({ value }),
  },
};
