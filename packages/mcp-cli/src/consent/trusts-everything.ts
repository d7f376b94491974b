/** `MCPX_TRUST=1` gives consent to all launches without storing it, for machines without a user. */
export function trustsEverything({ MCPX_TRUST }: Readonly<Record<string, string | undefined>>): boolean {
  return MCPX_TRUST === '1';
}
