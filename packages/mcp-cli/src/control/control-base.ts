import { isManagerError } from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import { whyNotHere } from '../fleet/elsewhere.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { type ControlOf, type Handlers, mapMethods, type WaitOptions } from './control.js';
import type { ControlError } from './control-error.js';
import type { Method } from './methods.js';
import { type ToControlErrorOptions, toControlError } from './to-control-error.js';

/** Time limit of a command's request to a server, in milliseconds. Served clients have limits of their own. */
export const requestTimeoutMs = 60_000;

/** Helpers of a local control. */
export interface ControlBase {
  /** Runs the work. Fails with a `ControlError`, or with the reason of the signal after an abort. */
  run<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>;
  /** Converts a failure to a `ControlError`. Explains an unknown server that another node runs. */
  toControlError(error: unknown): ControlError;
  redact(text: string): string;
  /** Redacts every string and key of plain data. */
  redactData<Data>(data: Data): Data;
}

interface ControlBaseOptions extends ToControlErrorOptions {
  /** Fleet of this process. Default: none. */
  readonly fleetReport?: (() => FleetReport | undefined) | undefined;
}

export function controlBase(
  stack: Pick<Stack, 'redactor'>,
  { fleetReport = () => undefined, ...options }: ControlBaseOptions = {},
): ControlBase {
  const asControlError = (error: unknown): ControlError => {
    const server = isManagerError(error) && error.code === 'unknown-server' ? error.server : undefined;
    // The name may be that of another node's server.
    const elsewhere = server === undefined ? undefined : whyNotHere(fleetReport(), server);
    return toControlError(elsewhere ?? error, stack.redactor, options);
  };
  return {
    run: async (signal, work) => {
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        signal?.throwIfAborted();
        throw asControlError(error);
      }
    },
    redact: (text) => stack.redactor.redact(text),
    redactData: <Data>(data: Data) => stack.redactor.redactData(data) as Data,
    toControlError: asControlError,
  };
}

/** The requests of a table for callers, with failures as `ControlError`s. */
export function controlOf<Table extends Readonly<Record<string, Method>>>(
  table: Table,
  handlers: Handlers<Table>,
  { run }: Pick<ControlBase, 'run'>,
): ControlOf<Table> {
  const untyped: Readonly<Record<string, unknown>> = handlers;
  return mapMethods(table, (name, { streams }) => {
    const handle = untyped[name] as (options: WaitOptions) => Promise<unknown>;
    if (streams) return (options: WaitOptions = {}) => handle(options);
    return (options: WaitOptions = {}) => run(options.signal, () => handle(options));
  });
}

/** Programs refer to an entry by these fields. */
const identityKeys: ReadonlySet<string> = new Set(['name', 'server', 'tool', 'uri', 'uriTemplate', 'state']);

/** A tool, resource or prompt with known secrets redacted, except in the names that identify it. */
export function redactEntry<Entry extends object>(
  entry: Entry,
  { redactData }: Pick<ControlBase, 'redactData'>,
): Entry {
  const isKept = ([key]: readonly [string, unknown]): boolean => identityKeys.has(key);
  const fields = Object.entries(entry);
  const hidden = redactData(Object.fromEntries(fields.filter((field) => !isKept(field))));
  return { ...hidden, ...Object.fromEntries(fields.filter(isKept)) } as Entry;
}
