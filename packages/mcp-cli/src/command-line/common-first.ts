const withValue: ReadonlySet<string> = new Set(['-c', '--config', '--from', '--env-file']);
const withoutValue: ReadonlySet<string> = new Set(['--json', '--verbose']);

/** Moves common options that stand before the command behind its words. */
export function commonFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    if (withoutValue.has(word) || /^--(config|from|env-file)=/.test(word)) at += 1;
    else if (withValue.has(word) && at + 1 < argv.length) at += 2;
    else break;
  }
  if (at === 0 || at === argv.length) return argv;
  const [options, rest] = [argv.slice(0, at), argv.slice(at)];
  const end = rest.indexOf('--'); // words after it are no options
  return end < 0 ? [...rest, ...options] : [...rest.slice(0, end), ...options, ...rest.slice(end)];
}
