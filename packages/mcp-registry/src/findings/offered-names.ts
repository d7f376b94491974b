import type { SourceTools } from '../catalog/snapshot.js';

/** `server` is `undefined` for the app's own tools. */
export interface NameOwner {
  readonly server: string | undefined;
  readonly tool: string;
}

export function describeOwner({ server, tool }: NameOwner): string {
  const whose = server === undefined ? 'of the host app' : `of server ${JSON.stringify(server)}`;
  return `${JSON.stringify(tool)} ${whose}`;
}

export interface ServerNames {
  readonly server: string | undefined;
  readonly tools: readonly string[];
}

/** By name: natives first, then in the order of servers. A map, because names are foreign text. */
export type OfferedNames = ReadonlyMap<string, readonly NameOwner[]>;

/** Natives first, then in the order of servers. */
export function listNames(offered: readonly SourceTools[], natives: readonly string[]): readonly ServerNames[] {
  const servers = offered.map(({ name: server, checked }) => ({
    server,
    tools: checked.tools.map(({ name }) => name),
  }));
  return [{ server: undefined, tools: natives }, ...servers];
}

export function collectNames(servers: readonly ServerNames[]): OfferedNames {
  const names = new Map<string, NameOwner[]>();
  for (const { server, tools } of servers) {
    for (const tool of tools) {
      const same = names.get(tool);
      if (same === undefined) names.set(tool, [{ server, tool }]);
      else same.push({ server, tool });
    }
  }
  return names;
}
