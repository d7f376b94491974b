import type { Stack } from '../compose.js';
import type { ControlEvent } from './control.js';
import type { ControlBase } from './control-base.js';
import { serverRow } from './servers.js';
import type { WaitOptions } from './wait-options.js';

/** Where every server is, and each change from then on, as rows. */
export async function* readEvents(
  stack: Stack,
  base: ControlBase,
  { signal }: WaitOptions,
): AsyncGenerator<ControlEvent, void, undefined> {
  for await (const { server, status } of stack.manager.changes({ signal })) {
    yield status ? { server, row: serverRow(stack, status, base) } : { server };
  }
}
