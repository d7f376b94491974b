import type { Io } from '../../command.js';
import type { StartStep } from '../../control/reports.js';
import { printableLine, type Styles, stylesFor } from '../print.js';
import { LiveText } from './live-text.js';

/** Interval between frames of the spinner, in milliseconds. */
const frameMs = 80;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const maxNameLength = 60;

/** Prints on stderr how servers start, until disposed. */
interface StartTracker extends Disposable {
  /** `undefined` if nothing is printed. */
  readonly onStep: ((step: StartStep) => void) | undefined;
}

interface TrackerOptions {
  /** Names of the servers about to start, as far as known. */
  readonly servers?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  /** The servers' own stderr lines are printed meanwhile. */
  readonly verbose?: boolean | undefined;
}

/** On a terminal a line per server with a spinner; elsewhere a line per step. */
export function trackStarts(io: Io, { servers = [], json = false, verbose = false }: TrackerOptions): StartTracker {
  const none = (): void => undefined;
  if (json) return { onStep: undefined, [Symbol.dispose]: none };
  const styles = stylesFor(io.stderr, io);
  if (io.stderr.isTTY && !verbose) return spinners(servers, styles, io);
  return { onStep: (step) => io.stderr.write(`${stepLine(step, styles)}\n`), [Symbol.dispose]: none };
}

/** Omits the reason of a failure, which the outcome contains. */
export function stepLine(step: StartStep, { green, red, yellow, bold, dim }: Styles): string {
  const name = bold(printableLine(step.server, maxNameLength));
  switch (step.step) {
    case 'spawned':
      return `${green('✓')} ${name} spawned ${dim(`process ${step.pid}`)}`;
    case 'handshake':
      return `${green('✓')} ${name} handshake ${dim('done')}`;
    case 'listed':
      return `${green('✓')} ${name} tools ${dim('listed, waiting for its health check')}`;
    case 'ready': {
      const tools = `${step.tools} ${step.tools === 1 ? 'tool' : 'tools'}`;
      return `${green('✓')} ${name} ready ${dim(`${tools}, protocol ${step.protocolVersion}`)}`;
    }
    case 'failed':
      return `${step.isLast ? red('✗') : yellow('!')} ${name} did not start`;
  }
}

function spinners(servers: readonly string[], styles: Styles, { stderr }: Pick<Io, 'stderr'>): StartTracker {
  const { cyan, bold, dim } = styles;
  const from = performance.now();
  const steps = new Map<string, StartStep | undefined>(servers.map((server) => [server, undefined]));
  const screen = new LiveText(stderr);
  let frame = 0;
  const lines = ({ isOver }: { readonly isOver: boolean }): string =>
    Array.from(steps, ([server, step]) => {
      if (step && isSettled(step)) return stepLine(step, styles);
      if (isOver) return undefined; // ran already, or its outcome is printed elsewhere
      const spinner = cyan(frames[frame % frames.length] ?? '');
      const seconds = Math.floor((performance.now() - from) / 1_000);
      const waiting = seconds > 0 ? `${waitingFor(step)} ${seconds}s` : waitingFor(step);
      return `${spinner} ${bold(printableLine(server, maxNameLength))} ${dim(waiting)}`;
    })
      .filter((line) => line !== undefined)
      .join('\n');
  const animation = setInterval(() => {
    frame += 1;
    screen.show(lines({ isOver: false }));
  }, frameMs);
  screen.show(lines({ isOver: false }));
  return {
    onStep: (step) => {
      steps.set(step.server, step);
      screen.show(lines({ isOver: false }));
    },
    [Symbol.dispose]: () => {
      clearInterval(animation);
      screen.show(lines({ isOver: true }));
      screen[Symbol.dispose]();
    },
  };
}

function isSettled({ step }: StartStep): boolean {
  return step === 'ready' || step === 'failed';
}

function waitingFor(step: StartStep | undefined): string {
  if (step?.step === 'spawned') return `process ${step.pid}, waiting for its handshake …`;
  if (step?.step === 'listed') return 'waiting for its health check …';
  return step?.step === 'handshake' ? 'listing its tools …' : 'starting …';
}
