import { unwatchFile, watchFile } from 'node:fs';
import { watchConfig } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import type { Stack } from '../compose.js';
import { isUnchanged, type RuleChanges } from './rule-changes.js';

/** Polling interval of token, trust and approval files, in milliseconds. */
const trustIntervalMs = 400;

interface FollowRulesOptions extends FollowedFiles {
  readonly stack: Pick<Stack, 'reloadRules' | 'trustFiles'>;
  readonly config: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env' | 'signal'>;
}

export interface FollowedFiles {
  /** Tokens of callers, which are reloaded with the rules. */
  readonly tokens?: { readonly file: string | undefined; reload(): Promise<void> } | undefined;
  readonly onChange?: ((changes: RuleChanges) => void) | undefined;
  /** Receives the reason why files were not applied. The earlier rules stay in effect. */
  readonly onProblem: (error: unknown) => void;
}

export interface RulesFollower extends AsyncDisposable {
  /** Reloads now, regardless of changes. Never rejects. */
  reload(): Promise<void>;
}

/**
 * Applies roles, trust, approvals and tokens within a second of a change of their files, until disposed. Does not touch
 * servers.
 */
export function followRules({ stack, config, io, tokens, onChange, onProblem }: FollowRulesOptions): RulesFollower {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, io.signal]);
  let reading: Promise<void> = Promise.resolve();
  const reload = (): Promise<void> => {
    reading = reading.then(async () => {
      if (signal.aborted) return;
      try {
        const changes = await stack.reloadRules();
        if (!isUnchanged(changes)) onChange?.(changes);
      } catch (error) {
        if (!signal.aborted) onProblem(error);
      }
      try {
        await tokens?.reload(); // after the roles, which entries refer to
      } catch (error) {
        if (!signal.aborted) onProblem(error);
      }
    });
    return reading;
  };

  const watchFiles = async (): Promise<void> => {
    const files = config === undefined ? {} : { files: config };
    // The first item covers changes before the watch began.
    for await (const _change of watchConfig({ cwd: io.cwd, env: io.env, ...files, signal })) await reload();
  };
  const watching = watchFiles().catch((error: unknown) => {
    if (!signal.aborted) onProblem(error);
  });
  const onTrust = () => void reload();
  const watched = watchAll([...stack.trustFiles, ...(tokens?.file === undefined ? [] : [tokens.file])], onTrust);
  return {
    reload,
    [Symbol.asyncDispose]: async () => {
      ended.abort(new Error('The files are no longer watched.'));
      watched[Symbol.dispose]();
      await Promise.all([watching, reading]);
    },
  };
}

/** The same for a stack whose rules another follower applies: reads only the tokens. */
export function followSharedRules(
  stack: Pick<Stack, 'reloadRules' | 'onRulesRead'>,
  { tokens, onChange, onProblem }: FollowedFiles,
): RulesFollower {
  let isOver = false;
  const report = (error: unknown): void => {
    if (!isOver) onProblem(error);
  };
  const readTokens = (): void => void tokens?.reload().catch(report);
  const listening = stack.onRulesRead(({ changes, error }) => {
    if (changes === undefined) report(error);
    else if (!isUnchanged(changes)) onChange?.(changes);
    readTokens(); // after the roles, which entries refer to
  });
  const watched = watchAll(tokens?.file === undefined ? [] : [tokens.file], readTokens);
  return {
    reload: () =>
      stack.reloadRules().then(
        () => undefined,
        () => undefined, // was reported above
      ),
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      listening[Symbol.dispose]();
      watched[Symbol.dispose]();
    },
  };
}

function watchAll(files: readonly string[], onChange: () => void): Disposable {
  const listener = (): void => onChange(); // one file may have several watchers
  for (const file of files) watchFile(file, { interval: trustIntervalMs, persistent: false }, listener);
  return {
    [Symbol.dispose]: () => {
      for (const file of files) unwatchFile(file, listener);
    },
  };
}
