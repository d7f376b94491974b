/** A variable of the environment, or a header, that marks an entry as our own gateway whatever its command is. */
export const gatewayMarker = { env: 'MCPX_GATEWAY', header: 'X-Mcpx-Gateway' } as const;

/** What of an entry tells whether it is our own gateway. */
export interface LaunchParts {
  /** The program and its arguments. Empty for an entry with an address. */
  readonly words: readonly string[];
  /** Names in its environment. */
  readonly variables: readonly string[];
  /** Names of its headers. */
  readonly headers: readonly string[];
}

/** Whether an entry runs `mcpx serve`, also through a launcher such as `npx`, or has the marker of our own gateway. */
export function isOwnGateway({ words, variables, headers }: LaunchParts): boolean {
  if (variables.includes(gatewayMarker.env)) return true;
  if (headers.some((name) => name.toLowerCase() === gatewayMarker.header.toLowerCase())) return true;
  return words.some((word, index) => isGatewayProgram(word) && words.slice(index + 1).includes('serve'));
}

function isGatewayProgram(word: string): boolean {
  const file = word.split(/[\\/]/).at(-1) ?? '';
  if (/^mcpx(\.cmd|\.exe|\.ps1)?$/i.test(file)) return true;
  if (/(^|[\\/])mcp-cli[\\/]dist[\\/]bin\.js$/.test(word)) return true;
  return /(^|[\\/])@[\w-]+[\\/]mcp-cli(@[\w.-]+)?([\\/]|$)/.test(word);
}
