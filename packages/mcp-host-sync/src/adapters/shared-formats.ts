import type { HostAdapter, HostLayout, RemoteFormat, StdioFormat } from './host-adapter.js';

export const mcpServersMap: readonly [HostLayout] = [{ keyPath: ['mcpServers'], collection: 'map' }];
export const serversMap: readonly [HostLayout] = [{ keyPath: ['servers'], collection: 'map' }];

export const plainStdio = { command: 'command', args: 'args', env: 'env' } as const satisfies StdioFormat;

export const plainRemote = { url: 'url', headers: ['headers'] } as const satisfies RemoteFormat;

export function typed<const Type extends string>(type: Type) {
  return { type, ...plainRemote } as const satisfies RemoteFormat;
}

export function everywhere(...paths: readonly string[]): HostAdapter['paths'] {
  return { darwin: paths, linux: paths, win32: paths };
}

/** File in the application data folder, such as `Code/User/…`. */
export function inAppFolder(path: string): HostAdapter['paths'] {
  return {
    darwin: [`{home}/Library/Application Support/${path}`],
    linux: [`{home}/.config/${path}`],
    win32: [`{appData}/${path}`],
  };
}
