import { type Stack, serverNamed } from '../compose.js';
import { isTrustMode, trustModes } from '../config/trust-file.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';
import { ControlError } from './control-error.js';
import { hiddenEntry } from './hidden-entry.js';

export function pinControl(stack: Stack, base: ControlBase) {
  return {
    pins: async ({ server }) => {
      const { pins } = stack.registry;
      if (server !== undefined) serverNamed(stack, server);
      await refreshPins(stack);
      const tools = await pins.list({ server });
      return { trust: stack.trust, tools: tools.map((tool) => hiddenEntry(tool, base)) };
    },
    pinDiff: async ({ server, tool }) => {
      await refreshPins(stack);
      return base.redact(await stack.registry.pins.diff({ server, tool }, { redact: base.redactData }));
    },
    approvePins: async ({ tools }) => stack.registry.pins.approve(tools),
    revokePins: async ({ server, tool }) => stack.registry.pins.revoke({ server, tool }),
    setTrust: async ({ mode, servers }) => {
      if (!isTrustMode(mode)) {
        throw new ControlError('invalid-request', `Unknown mode "${mode}".`, {
          hint: `Modes are ${trustModes.join(', ')}.`,
        });
      }
      for (const name of servers ?? []) serverNamed(stack, name);
      await stack.setTrust({ mode, servers });
    },
  } satisfies Partial<ServerHandlers>;
}

/** Another process may have approved tools since the last read. */
async function refreshPins({ registry }: Stack): Promise<void> {
  await registry.pins.ready.catch(() => undefined); // `reload` retries and reports the failure
  await registry.pins.reload();
}
