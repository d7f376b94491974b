/** How to give consent to the launch of a server. */
export const trustHint =
  'Run "mcpx trust" to see what it runs and to give consent, or "mcpx trust --yes" without a terminal. In CI set MCPX_TRUST=1.';
