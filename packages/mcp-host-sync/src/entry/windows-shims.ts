const shims = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx']);

/** Batch files on Windows, which a plain spawn cannot start. */
export function isShim(command: string): boolean {
  return shims.has(command.toLowerCase().replace(/\.cmd$/, ''));
}

/** `cmd /c npx …` for `npx …`. */
export function throughCmd(words: readonly string[]): readonly string[] {
  return ['cmd', '/c', ...words];
}

/** The opposite of {@link throughCmd}; any other command stays as it is. */
export function withoutCmd(words: readonly string[]): readonly string[] {
  const [command = '', flag = '', program] = words;
  const isWrapped = /^cmd(\.exe)?$/i.test(command) && /^\/c$/i.test(flag) && program !== undefined && isShim(program);
  return isWrapped ? words.slice(2) : words;
}
