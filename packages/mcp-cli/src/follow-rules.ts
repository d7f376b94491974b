import { unwatchFile, watchFile } from 'node:fs';
import { watchConfig } from '@x/mcp-config-schema/load';
import type { Stack } from './compose.js';
import type { Io } from './io.js';
import { isUnchanged, type RuleChanges } from './rule-changes.js';

/** Time between two looks at the files of tokens and of decisions about trust, in milliseconds. */
const trustIntervalMs = 400;

export interface FollowRulesOptions {
  readonly stack: Pick<Stack, 'reloadRules' | 'trustFiles'>;
  readonly config: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env' | 'signal'>;
  /** Tokens of callers, which are read again along with the rules. */
  readonly tokens?: { readonly file: string | undefined; reload(): Promise<void> } | undefined;
  /** Receives each change that was applied. */
  readonly onChange?: ((changes: RuleChanges) => void) | undefined;
  /** Receives why the files were not applied. The earlier rules hold on. */
  readonly onProblem: (error: unknown) => void;
}

export interface RulesFollower extends AsyncDisposable {
  /** Reads them now, whether or not a file has changed. Never rejects. */
  readAgain(): Promise<void>;
}

/**
 * Applies roles, trust, approvals and tokens within a second of a change of their files, until disposed. Servers are left as they
 * are: what runs is for the user to decide.
 */
export function followRules({ stack, config, io, tokens, onChange, onProblem }: FollowRulesOptions): RulesFollower {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, io.signal]);
  let reading: Promise<void> = Promise.resolve();
  const readAgain = (): Promise<void> => {
    reading = reading.then(async () => {
      if (signal.aborted) return;
      try {
        const changes = await stack.reloadRules();
        if (!isUnchanged(changes)) onChange?.(changes);
      } catch (error) {
        if (!signal.aborted) onProblem(error);
      }
      try {
        await tokens?.reload(); // after the roles, one of which an entry may name
      } catch (error) {
        if (!signal.aborted) onProblem(error);
      }
    });
    return reading;
  };

  const watchFiles = async (): Promise<void> => {
    const files = config === undefined ? {} : { files: config };
    // The first item tells of what changed before the watch began.
    for await (const _change of watchConfig({ cwd: io.cwd, env: io.env, ...files, signal })) await readAgain();
  };
  const watching = watchFiles().catch((error: unknown) => {
    if (!signal.aborted) onProblem(error);
  });
  const onTrust = () => void readAgain();
  const watched = [...stack.trustFiles, ...(tokens?.file === undefined ? [] : [tokens.file])];
  for (const file of watched) watchFile(file, { interval: trustIntervalMs, persistent: false }, onTrust);
  return {
    readAgain,
    [Symbol.asyncDispose]: async () => {
      ended.abort(new Error('nothing is followed any more'));
      for (const file of watched) unwatchFile(file, onTrust);
      await Promise.all([watching, reading]);
    },
  };
}
