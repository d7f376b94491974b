import type { Stack } from '../compose.js';
import type { WaitOptions } from './control.js';
import type { ControlBase } from './control-base.js';
import type { ControlEvent } from './reports.js';
import { serverRow } from './server-row.js';

/** Yields the row of every server, then of each server that changes. */
export async function* readEvents(
  stack: Stack,
  base: ControlBase,
  { signal }: WaitOptions,
): AsyncGenerator<ControlEvent, void, undefined> {
  for await (const { server, status } of stack.manager.changes({ signal })) {
    yield status ? { server, row: serverRow(stack, status, base) } : { server };
  }
}
