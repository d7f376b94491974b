import { unwatchFile, watchFile } from 'node:fs';
import { watchConfig } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import type { Stack } from '../compose.js';
import { isUnchanged, type RuleChanges } from './rule-changes.js';

/** Polling interval of token, trust and approval files, in milliseconds. */
const trustIntervalMs = 400;

interface FollowRulesOptions {
  readonly stack: Pick<Stack, 'reloadRules' | 'trustFiles'>;
  readonly config: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env' | 'signal'>;
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
  const watched = [...stack.trustFiles, ...(tokens?.file === undefined ? [] : [tokens.file])];
  for (const file of watched) watchFile(file, { interval: trustIntervalMs, persistent: false }, onTrust);
  return {
    reload,
    [Symbol.asyncDispose]: async () => {
      ended.abort(new Error('The files are no longer watched.'));
      for (const file of watched) unwatchFile(file, onTrust);
      await Promise.all([watching, reading]);
    },
  };
}
