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
