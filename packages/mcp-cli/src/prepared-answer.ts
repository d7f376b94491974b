import { readFileSync } from 'node:fs';

/**
 * What the build has written down of answers that depend on the words alone. Anybody who asks what there is should not wait
 * until all of it is loaded.
 *
 * @param directory - Where the build has put them. Without it, as in the sources, nothing is prepared.
 * @param columns - Width of the terminal, if it is one.
 * @returns `undefined`: the answer has to be found out.
 */
export function preparedAnswer(
  argv: readonly string[],
  { directory, columns }: { readonly directory: URL; readonly columns: number | undefined },
): string | undefined {
  const name = argv.length > 1 ? undefined : nameOf(argv[0], columns);
  if (name === undefined) return undefined;
  try {
    return readFileSync(new URL(name, directory), 'utf8');
  } catch {
    return undefined; // a package that somebody has put together without them answers as well, only later
  }
}

function nameOf(word: string | undefined, columns = 100): string | undefined {
  switch (word) {
    case '--version':
    case '-V':
      return 'version.txt';
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      return columns >= 100 ? 'help-100.txt' : columns >= 80 ? 'help-80.txt' : undefined;
    default:
      return undefined;
  }
}
