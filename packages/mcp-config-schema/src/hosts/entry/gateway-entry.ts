import type { HostServer } from '../host-server.js';

/** A variable of the environment, or a header, that marks an entry as our own gateway whatever its command is. */
export const gatewayMarker = { env: 'MCPX_GATEWAY', header: 'X-Mcpx-Gateway' } as const;

/**
 * Whether an entry starts or reaches our own gateway. Such an entry is never imported: the gateway would start itself.
 * Known by the command `mcpx serve`, also through a launcher such as `npx`, or by its marker.
 */
export function isGatewayServer(server: HostServer): boolean {
  if (server.transport !== 'stdio') {
    return Object.keys(server.headers ?? {}).some((name) => name.toLowerCase() === gatewayMarker.header.toLowerCase());
  }
  if (Object.hasOwn(server.env ?? {}, gatewayMarker.env)) return true;
  const words = [server.command, ...(server.args ?? [])];
  return words.some((word, index) => isGatewayProgram(word) && words.slice(index + 1).includes('serve'));
}

function isGatewayProgram(word: string): boolean {
  const file = word.split(/[\\/]/).at(-1) ?? '';
  if (/^mcpx(\.cmd|\.exe|\.ps1)?$/i.test(file)) return true;
  return /(^|[\\/])@[\w-]+[\\/]mcp-cli(@[\w.-]+)?([\\/]|$)/.test(word);
}
