import { isFunctionCall } from '../call-words/read-call.js';
import { UsageError } from '../command.js';

/** Words for a server that is in no config. */
export interface UnlistedServer {
  /** A URL, or a command line. */
  readonly target: string;
  /** `NAME=value`, or `NAME` for a variable of the same name. */
  readonly env?: readonly string[] | undefined;
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined;
  /** Time limit for the start, in seconds. Default: as for a server of a config. */
  readonly timeout?: number | undefined;
}

/** True for a URL, a command with a blank in it, or a path. Names of servers and tools are none of these. */
export function isTarget(word: string): boolean {
  if (isFunctionCall(word)) return false;
  return /^[a-z]+:\/\//i.test(word) || /\S\s|^\s+\S/.test(word) || /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i.test(word);
}

/** @throws {UsageError} The word may be the name of a server in the config. */
export function requireTarget(word: string): void {
  if (isTarget(word)) return;
  const name = word.slice(0, 80);
  throw new UsageError(`"${name}" is neither a URL nor a command with arguments.`, {
    hint: `For a server of the config run "mcpx discover ${name}". For a program without arguments write its path, such as ./${name}`,
  });
}

/** @throws {UsageError} Options for servers of a config are given for one that is in none, or the other way round. */
export function requireFittingOptions(isUnlisted: boolean, options: Readonly<Record<string, unknown>>): void {
  const wrong = (isUnlisted ? ['config', 'role'] : ['env', 'header']).find((option) => options[option] !== undefined);
  if (wrong === undefined) return;
  throw new UsageError(
    isUnlisted
      ? `--${wrong} is for servers of a config, and this one is in none.`
      : `--${wrong} is for a server that is in no config. Those of a config have "${wrong === 'env' ? 'env' : 'headers'}" there.`,
    isUnlisted ? {} : { hint: `For an argument of the tool write ${wrong}=...` },
  );
}
