import type { OfferedTool, ReadTool, ToolReference } from '@x/mcp-registry';
import { type Stack, serverNamed } from '../compose.js';
import { isTrustMode, type Trust, trustModes } from '../trust-file.js';
import type { ControlBase } from './control-base.js';
import { ControlError } from './control-error.js';
import type { WaitOptions } from './wait-options.js';

/** Which texts of tools were approved. For operators: it shows what is held back from everyone else. */
export interface PinControl {
  /** What the servers offer as far as it is known, trusted or not. Starts nothing. */
  pins(options?: WaitOptions & { readonly server?: string | undefined }): Promise<PinReport>;
  /** What is offered against what was approved. Safe to print. Empty if nothing differs. */
  pinDiff(tool: ToolReference, options?: WaitOptions): Promise<string>;
  /** @throws {ControlError} `changed-since-read`: a tool is not any more what its digest says. Nothing is approved then. */
  approvePins(tools: readonly ReadTool[], options?: WaitOptions): Promise<void>;
  /** Takes approvals back; without `tool`, all of the server's. */
  revokePins(
    tools: { readonly server: string; readonly tool?: string | undefined },
    options?: WaitOptions,
  ): Promise<void>;
  /**
   * @param mode - `all`, `pin-on-first-use` or `approve`.
   * @param servers - Left out: those that have no mode of their own.
   */
  setTrust(mode: string, servers?: readonly string[], options?: WaitOptions): Promise<void>;
}

export interface PinReport {
  readonly trust: Trust;
  readonly tools: readonly OfferedTool[];
}

export function pinControl(stack: Stack, { run }: ControlBase): PinControl {
  return {
    pins: ({ server, signal } = {}) =>
      run(signal, async () => {
        const { pins } = stack.registry;
        if (server !== undefined) serverNamed(stack, server);
        await readAgain(stack);
        return { trust: stack.trust, tools: pins.list({ server }) };
      }),
    pinDiff: ({ server, tool }, { signal } = {}) =>
      run(signal, async () => {
        await readAgain(stack);
        return stack.registry.pins.diff({ server, tool });
      }),
    approvePins: (tools, { signal } = {}) => run(signal, async () => stack.registry.pins.approve(tools)),
    revokePins: (tools, { signal } = {}) => run(signal, async () => stack.registry.pins.revoke(tools)),
    setTrust: (mode, servers, { signal } = {}) =>
      run(signal, async () => {
        if (!isTrustMode(mode)) {
          throw new ControlError('invalid-request', `There is no mode "${mode}".`, {
            hint: `Modes are ${trustModes.join(', ')}.`,
          });
        }
        for (const name of servers ?? []) serverNamed(stack, name);
        await stack.setTrust({ mode, servers });
      }),
  };
}

/** Another process may have approved something since. */
async function readAgain({ registry }: Stack): Promise<void> {
  await registry.pins.ready.catch(() => undefined); // tried once more, and told then
  await registry.pins.reload();
}
