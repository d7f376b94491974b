import type { ManagerEvents, ServerState } from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import { inCommandWords } from '../output/command-words.js';
import type { ControlBase } from './control-base.js';
import type { StartStep } from './reports.js';

/** Calls `onStep` for each step of a start until disposed. */
export function watchSteps(
  { manager }: { readonly manager: Pick<Stack['manager'], 'events' | 'server'> },
  { redact }: Pick<ControlBase, 'redact'>,
  onStep: ((step: StartStep) => void) | undefined,
): Disposable {
  if (!onStep) return { [Symbol.dispose]: () => undefined };
  return manager.events.on('server-state', (event) => {
    const { pid, tools, protocolVersion } = manager.server(event.server).status;
    const step = stepOf(event, { pid, tools, protocolVersion });
    if (step) onStep(step.step === 'failed' ? { ...step, message: redact(inCommandWords(step.message)) } : step);
  });
}

function stepOf(
  { server, previous, state }: ManagerEvents['server-state'],
  { pid, tools, protocolVersion }: { pid: number | undefined; tools: number; protocolVersion: string | undefined },
): StartStep | undefined {
  if (state.phase === 'starting' && previous.phase === 'starting') {
    if (state.step === 'handshake' && pid !== undefined) return { server, step: 'spawned', pid };
    if (state.step === 'tools') return { server, step: 'handshake' };
    if (state.step === 'health') return { server, step: 'listed' };
  }
  if (state.phase === 'ready' && previous.phase === 'starting')
    return { server, step: 'ready', tools, protocolVersion };
  if (state.phase !== 'stopping') return undefined;
  const message = causeOf(state.next);
  if (message === undefined) return undefined;
  return { server, step: 'failed', message, isLast: state.next.phase === 'failed' || state.next.phase === 'parked' };
}

function causeOf(state: ServerState): string | undefined {
  if (!('cause' in state)) return undefined;
  return state.cause instanceof Error ? state.cause.message : String(state.cause);
}
