import type { ManagerEvents, ServerState } from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import type { Io } from '../io.js';
import { printableLine } from './printable.js';
import { type Styles, stylesFor } from './styles.js';

/**
 * Tells on stderr how servers start, a line per finished step: spawn, handshake, tools. With `isVerbose` also what
 * the servers write to their own stderr.
 */
export function showSteps(
  { manager, redactor }: Pick<Stack, 'manager' | 'redactor'>,
  io: Io,
  { isVerbose }: { isVerbose: boolean },
): Disposable {
  const styles = stylesFor(io.stderr, io);
  const print = (line: string | undefined): void => {
    if (line) io.stderr.write(`${line}\n`);
  };
  const states = manager.events.on('server-state', (event) =>
    print(stepLine(event, manager.server(event.server).status, styles)),
  );
  const stderr = manager.events.on('server-stderr', ({ server, line }) => {
    if (isVerbose) print(styles.dim(`  ${server} | ${printableLine(redactor.redact(line), 500)}`));
  });
  return {
    [Symbol.dispose]: () => {
      states[Symbol.dispose]();
      stderr[Symbol.dispose]();
    },
  };
}

function stepLine(
  { server, previous, state }: ManagerEvents['server-state'],
  { pid, tools, protocolVersion }: { pid?: number | undefined; tools: number; protocolVersion?: string | undefined },
  { green, red, yellow, bold, dim }: Styles,
): string | undefined {
  const done = (step: string, fact: string): string => `${green('✓')} ${bold(server)} ${step} ${dim(fact)}`;
  if (state.phase === 'starting' && previous.phase === 'starting') {
    if (state.step === 'handshake' && pid !== undefined) return done('spawned', `process ${pid}`);
    if (state.step === 'tools') return done('handshake', 'done');
  }
  if (state.phase === 'ready' && previous.phase === 'starting') {
    return done('ready', `${tools} ${tools === 1 ? 'tool' : 'tools'}, protocol ${protocolVersion}`);
  }
  if (state.phase !== 'stopping') return undefined;
  const cause = causeOf(state.next);
  if (cause === undefined) return undefined;
  const isLast = state.next.phase === 'failed' || state.next.phase === 'parked';
  return `${isLast ? red('✗') : yellow('!')} ${bold(server)} ${printableLine(cause, 500)}`;
}

function causeOf(state: ServerState): string | undefined {
  if (!('cause' in state)) return undefined;
  return state.cause instanceof Error ? state.cause.message : String(state.cause);
}
