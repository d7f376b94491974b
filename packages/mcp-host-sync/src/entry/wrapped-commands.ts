/** Command that bridges a remote server to stdio. */
export function bridgeWords(url: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  return ['npx', '-y', 'mcp-remote', url, ...flags];
}

/** Server behind a bridge command; `undefined` for other commands. */
export function bridgedServer(
  words: readonly string[],
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined {
  const [npx, yes, bridge, url, ...flags] = words;
  const isBridge = npx === 'npx' && yes === '-y' && /^mcp-remote(@[\w.-]+)?$/.test(bridge ?? '');
  if (!isBridge || url === undefined || !/^https?:\/\//.test(url) || flags.length % 2 !== 0) return undefined;

  const headers: [string, string][] = [];
  for (let index = 0; index < flags.length; index += 2) {
    const [, name, value] = /^([^\s:]+):\s*(.*)$/s.exec(flags[index + 1] ?? '') ?? [];
    if (flags[index] !== '--header' || name === undefined || value === undefined) return undefined;
    headers.push([name, value]);
  }
  return { url, headers: Object.fromEntries(headers) };
}

const shims = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx']);

/** Windows implements these commands as batch files, which need a shell. */
export function isShim(command: string): boolean {
  return shims.has(command.toLowerCase().replace(/\.cmd$/, ''));
}

export function throughCmd(words: readonly string[]): readonly string[] {
  return ['cmd', '/c', ...words];
}

/** Inverse of {@link throughCmd}. Other commands stay unchanged. */
export function withoutCmd(words: readonly string[]): readonly string[] {
  const [command = '', flag = '', program] = words;
  const isWrapped = /^cmd(\.exe)?$/i.test(command) && /^\/c$/i.test(flag) && program !== undefined && isShim(program);
  return isWrapped ? words.slice(2) : words;
}
