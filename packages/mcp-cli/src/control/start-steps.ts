import type { ManagerEvents, ServerState } from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import { inCommandWords } from '../output/command-words.js';
import type { ControlBase } from './control-base.js';
import type { StartStep } from './reports.js';

interface WatchedStack extends Pick<Stack, 'config' | 'env'> {
  readonly manager: Pick<Stack['manager'], 'events' | 'servers'>;
}

/** Calls `onStep` for each step of a start until disposed. */
export function watchSteps(
  stack: WatchedStack,
  { redact }: Pick<ControlBase, 'redact'>,
  onStep: ((step: StartStep) => void) | undefined,
): Disposable {
  if (!onStep) return { [Symbol.dispose]: () => undefined };
  const { manager } = stack;
  const statusOf = (server: string) => manager.servers().find(({ name }) => name === server)?.status;
  const ended = new AbortController();
  const tellDownload = async (server: string, pid: number | undefined): Promise<void> => {
    const name = await missingPackage(stack, server);
    const status = statusOf(server);
    if (name === undefined || ended.signal.aborted || status?.phase !== 'starting' || status.pid !== pid) return;
    onStep({ server, step: 'downloading', package: redact(name) });
  };
  const watching = manager.events.on('server-state', (event) => {
    const status = statusOf(event.server);
    if (status === undefined) return; // a change of the config has removed it
    const { pid, tools, protocolVersion } = status;
    const step = stepOf(event, { pid, tools, protocolVersion });
    if (step) onStep(step.step === 'failed' ? { ...step, message: redact(inCommandWords(step.message)) } : step);
    if (step?.step === 'spawned') tellDownload(event.server, pid).catch(() => undefined); // a look-up that fails is not worth a message
  });
  return {
    [Symbol.dispose]: () => {
      ended.abort();
      watching[Symbol.dispose]();
    },
  };
}

async function missingPackage({ config, env }: WatchedStack, server: string): Promise<string | undefined> {
  const found = config.servers.find(({ name }) => name === server);
  if (found?.transport !== 'stdio') return undefined;
  const { packageToDownload } = await import('../servers/installed.js');
  return packageToDownload(found, env);
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
