import type { SourceTools } from '../catalog/snapshot.js';

/** Who has a tool: `server` is `undefined` for the host app's own. */
export interface NameOwner {
  readonly server: string | undefined;
  readonly tool: string;
}

/** Owners by exact name, natives first, then in the order of servers. A map, because names are foreign text. */
export type OfferedNames = ReadonlyMap<string, readonly NameOwner[]>;

export function collectNames(offered: readonly SourceTools[], natives: readonly string[]): OfferedNames {
  const names = new Map<string, NameOwner[]>();
  const add = (owner: NameOwner) => {
    const same = names.get(owner.tool);
    if (same === undefined) names.set(owner.tool, [owner]);
    else same.push(owner);
  };
  for (const tool of natives) add({ server: undefined, tool });
  for (const { name: server, checked } of offered) for (const { name: tool } of checked.tools) add({ server, tool });
  return names;
}
