import type { HostAdapter, HostLayout, RemoteFormat, StdioFormat } from './host-adapter.js';

export const mcpServersMap: readonly [HostLayout] = [{ keyPath: ['mcpServers'], collection: 'map' }];
export const serversMap: readonly [HostLayout] = [{ keyPath: ['servers'], collection: 'map' }];

/** `command`, `args`, `env`: what most hosts read. */
export const plainStdio = { command: 'command', args: 'args', env: 'env' } as const satisfies StdioFormat;

/** `url`, `headers`, and no word for the transport. */
export const plainRemote = { url: 'url', headers: ['headers'] } as const satisfies RemoteFormat;

export function typed<const Type extends string>(type: Type) {
  return { type, ...plainRemote } as const satisfies RemoteFormat;
}

/** The same place on every platform. */
export function everywhere(...paths: readonly string[]): HostAdapter['paths'] {
  return { darwin: paths, linux: paths, win32: paths };
}

/** A file in the folder of a VS Code build, as `Code/User/…`. */
export function inAppFolder(path: string): HostAdapter['paths'] {
  return {
    darwin: [`{home}/Library/Application Support/${path}`],
    linux: [`{home}/.config/${path}`],
    win32: [`{appData}/${path}`],
  };
}
