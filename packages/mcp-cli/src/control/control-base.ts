import { isManagerError } from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import { whyNotHere } from '../fleet/elsewhere.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { ControlError } from './control-error.js';
import { type ToControlErrorOptions, toControlError } from './to-control-error.js';

/** What every part of a local control does with what it is asked for. */
export interface ControlBase {
  /** Does the work and turns its failure into a `ControlError`, or into the reason of the signal when that has aborted. */
  run<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>;
  /** A failure as somebody is told of it. */
  toControlError(error: unknown): ControlError;
  /** Text that is told to somebody: known secrets are starred out. */
  redact(text: string): string;
  /** The same for every text and key of plain data. */
  redactData<Data>(data: Data): Data;
}

export interface ControlBaseOptions extends ToControlErrorOptions {
  /** The fleet that this process belongs to. Default: none. */
  readonly fleetReport?: (() => FleetReport | undefined) | undefined;
}

export function controlBase(
  stack: Pick<Stack, 'redactor'>,
  { fleetReport = () => undefined, ...options }: ControlBaseOptions = {},
): ControlBase {
  const asControlError = (error: unknown): ControlError => {
    const server = isManagerError(error) && error.code === 'unknown-server' ? error.server : undefined;
    // Other hosts tell their names.
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
