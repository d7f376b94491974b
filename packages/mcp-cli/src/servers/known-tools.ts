import type { Io } from '../command.js';
import type { Control } from '../control/control.js';

const pageSize = 100;

/** All known tools of a role, with the servers that it may not use. Starts no server. */
export async function readKnownTools(control: Control, role: string | undefined, { signal }: Pick<Io, 'signal'>) {
  const tools = [];
  for (let cursor: string | undefined; ; ) {
    const request = { query: '*', limit: pageSize, detail: 'full', include: 'known', cursor } as const;
    const { unusable = [], ...page } = await control.search({ request, role, signal });
    tools.push(...page.tools);
    if (page.nextCursor === undefined) return { tools, unusable };
    cursor = page.nextCursor;
  }
}
