import type { ServerNeed } from '@x/mcp-client-manager';
import type { ServerRow } from '../control/server-facts.js';
import { printableLine } from '../output/print.js';

export const setUpHint =
  'Set it in the .env file beside the config, if you have one, in a file for --env-file, or in the environment and run "mcpx down" and "mcpx up". If it is in .env already, "mcpx validate" says why that is not read.';

/** The missing part of a server that does not run, as in `needs GITHUB_TOKEN`. `undefined` if none is known. */
export function needsText({ needs = [], state }: Pick<ServerRow, 'needs' | 'state'>): string | undefined {
  if (needs.length === 0 || state === 'running' || state === 'degraded') return undefined;
  return `needs ${needs.map((need) => printableLine(needText(need), 200)).join(', ')}`;
}

function needText(need: ServerNeed): string {
  if (need.kind === 'sign-in') return 'a sign-in';
  return need.kind === 'program' ? `the program ${need.name}` : need.name;
}
