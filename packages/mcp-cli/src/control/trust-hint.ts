/** How to agree to what a project's server runs. */
export const trustHint =
  'Run "mcpx trust" to see what it runs and to agree, or "mcpx trust --yes" without a terminal. In CI set MCPX_TRUST=1.';
