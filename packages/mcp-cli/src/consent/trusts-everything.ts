/** `MCPX_TRUST=1`: whatever a config runs is agreed to, and nothing is kept. For machines where nobody can be asked. */
export function trustsEverything({ MCPX_TRUST }: Readonly<Record<string, string | undefined>>): boolean {
  return MCPX_TRUST === '1';
}
