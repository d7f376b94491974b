interface CommonOption {
  readonly long: string;
  readonly short?: string;
  readonly takesValue: boolean;
}

/** Options that may stand before a command, too. */
export const commonOptions: readonly CommonOption[] = [
  { long: '--config', short: '-c', takesValue: true },
  { long: '--from', takesValue: true },
  { long: '--env-file', takesValue: true },
  { long: '--json', takesValue: false },
  { long: '--verbose', takesValue: false },
];

/**
 * Moves common options from before the command to behind its words. They stand before the options there, because of
 * several values the last may count.
 */
export function commonFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  while (at < argv.length) {
    const count = wordsOfOption(argv[at] ?? '');
    if (count === 0 || at + count > argv.length) break;
    at += count;
  }
  if (at === 0 || at === argv.length) return argv;
  const [options, rest] = [argv.slice(0, at), argv.slice(at)];
  const end = rest.findIndex((word, index) => index > 0 && word.length > 1 && word.startsWith('-'));
  return end < 0 ? [...rest, ...options] : [...rest.slice(0, end), ...options, ...rest.slice(end)];
}

/** Number of words, 0 if the word begins none of the options. */
function wordsOfOption(word: string): number {
  for (const { long, short, takesValue } of commonOptions) {
    if (word === long || word === short) return takesValue ? 2 : 1;
    if (takesValue && (word.startsWith(`${long}=`) || (short !== undefined && word.startsWith(short)))) return 1;
  }
  return 0;
}
