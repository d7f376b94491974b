import type { Io, OutputStream } from '../../command.js';
import type { StartStep } from '../../control/reports.js';
import { fit, printNote } from '../fit.js';
import { counted, printable, printableLine, type Styles, stylesFor } from '../print.js';
import { LiveText } from './live-text.js';

/** Interval between frames of the spinner, in milliseconds. */
const frameMs = 80;
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const maxNameLength = 60;
const maxReasonLength = 500;

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
  /** The caller prints a line for each server, this one at once. Nothing else remains of them. Default: steps remain. */
  readonly onReady?: ((server: ReadyServer) => void) | undefined;
}

export interface ReadyServer {
  readonly server: string;
  readonly tools: number;
  readonly tookMs: number;
}

/** On a terminal a line per server with a spinner; elsewhere a line per step, or with `onReady` per failed attempt. */
export function trackStarts(
  io: Io,
  { servers = [], json = false, verbose = false, onReady }: TrackerOptions,
): StartTracker {
  const none = (): void => undefined;
  if (json) return { onStep: undefined, [Symbol.dispose]: none };
  const styles = stylesFor(io.stderr, io);
  const from = performance.now();
  const tell = (step: StartStep): void => {
    if (step.step === 'ready') onReady?.({ ...step, tookMs: performance.now() - from });
  };
  if (io.stderr.isTTY && !verbose) {
    const view = new StartView(servers, styles, { from, leavesSteps: onReady === undefined }, io);
    return {
      onStep: (step) => {
        view.show(step);
        tell(step);
      },
      [Symbol.dispose]: () => view[Symbol.dispose](),
    };
  }
  const isShown = ({ step }: StartStep): boolean =>
    onReady === undefined || verbose || step === 'failed' || step === 'downloading';
  return {
    onStep: (step) => {
      if (onReady !== undefined && step.step === 'failed') {
        if (!step.isLast) printNote(retryLine(step, styles), io);
      } else if (isShown(step)) printNote(stepLine(step, styles), io);
      tell(step);
    },
    [Symbol.dispose]: none,
  };
}

/** Why a server did not start, behind its name. */
export function reasonOf({ server, message }: Pick<FailedStep, 'server' | 'message'>): string {
  const start = `Server "${server}" `;
  return printable(message.startsWith(start) ? message.slice(start.length) : message);
}

type FailedStep = Extract<StartStep, { readonly step: 'failed' }>;

function retryLine(step: Pick<FailedStep, 'server' | 'message'>, { yellow, bold, dim }: Styles): string {
  const reason = printableLine(reasonOf(step), maxReasonLength);
  return `${yellow('!')} ${bold(printableLine(step.server, maxNameLength))} ${dim(`is started again: ${reason}`)}`;
}

/** Omits the reason of a failure, which the outcome contains. */
export function stepLine(step: StartStep, { green, red, yellow, bold, dim }: Styles): string {
  const name = bold(printableLine(step.server, maxNameLength));
  switch (step.step) {
    case 'spawned':
      return `${green('✓')} ${name} spawned ${dim(`process ${step.pid}`)}`;
    case 'downloading':
      return `${yellow('…')} ${name} downloads ${dim(packageText(step))}`;
    case 'handshake':
      return `${green('✓')} ${name} handshake ${dim('done')}`;
    case 'listed':
      return `${green('✓')} ${name} tools ${dim('listed, waiting for its health check')}`;
    case 'ready': {
      const tools = counted(step.tools, 'tool');
      return `${green('✓')} ${name} ready ${dim(`${tools}, protocol ${step.protocolVersion}`)}`;
    }
    case 'failed':
      return `${step.isLast ? red('✗') : yellow('!')} ${name} did not start`;
  }
}

interface ViewOptions {
  /** Time of the start, as by `performance.now()`. */
  readonly from: number;
  /** The last step of each server remains on the screen. */
  readonly leavesSteps: boolean;
}

/** A line per server, redrawn in place. */
class StartView implements Disposable {
  readonly #steps: Map<string, { readonly step: StartStep | undefined; readonly atMs: number }>;
  readonly #styles: Styles;
  readonly #options: ViewOptions;
  readonly #stderr: OutputStream;
  readonly #screen: LiveText;
  readonly #animation: NodeJS.Timeout;
  #frame = 0;

  constructor(servers: readonly string[], styles: Styles, options: ViewOptions, { stderr }: Pick<Io, 'stderr'>) {
    this.#steps = new Map(servers.map((server) => [server, { step: undefined, atMs: 0 }]));
    this.#styles = styles;
    this.#options = options;
    this.#stderr = stderr;
    this.#screen = new LiveText(stderr);
    this.#animation = setInterval(() => {
      this.#frame += 1;
      this.#draw();
    }, frameMs);
    this.#draw();
  }

  show(step: StartStep): void {
    this.#steps.set(step.server, { step, atMs: performance.now() - this.#options.from });
    this.#draw();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#animation);
    const settled = this.#options.leavesSteps ? [...this.#steps.values()].flatMap(({ step }) => step ?? []) : [];
    this.#screen.show('');
    this.#screen[Symbol.dispose]();
    const lines = settled.filter(isSettled).map((step) => `${stepLine(step, this.#styles)}\n`);
    if (lines.length > 0) this.#stderr.write(fit(lines.join(''), this.#stderr));
  }

  #draw(): void {
    const room = Math.max((this.#stderr.rows ?? 24) - 2, 2);
    const servers = [...this.#steps.keys()];
    if (servers.length <= room) {
      this.#screen.show(servers.map((server) => this.#line(server)).join('\n'));
      return;
    }
    // Those that are ready have the least to say.
    const open = servers.filter((server) => this.#steps.get(server)?.step?.step !== 'ready');
    const shown = open.slice(0, room - 1);
    const rest = servers.length - shown.length;
    const ready = servers.length - open.length;
    const summary = this.#styles.dim(`… and ${rest} more, ${ready} of ${servers.length} are up`);
    this.#screen.show([...shown.map((server) => this.#line(server)), summary].join('\n'));
  }

  #line(server: string): string {
    const { bold, cyan, dim, green, red } = this.#styles;
    const { step, atMs = 0 } = this.#steps.get(server) ?? {};
    const name = bold(printableLine(server, maxNameLength));
    if (step?.step === 'ready') return `${green('✓')} ${name} ${dim(readyText({ ...step, tookMs: atMs }))}`;
    if (step?.step === 'failed') {
      return step.isLast
        ? `${red('✗')} ${name} ${printableLine(reasonOf(step), maxReasonLength)}`
        : retryLine(step, this.#styles);
    }
    const seconds = Math.floor((performance.now() - this.#options.from) / 1_000);
    const spinner = cyan(frames[this.#frame % frames.length] ?? '');
    return `${spinner} ${name} ${dim(seconds > 0 ? `${waitingFor(step)} ${seconds}s` : waitingFor(step))}`;
  }
}

/** `14 tools, 1.2 s`. */
export function readyText({ tools, tookMs }: Omit<ReadyServer, 'server'>): string {
  return `${counted(tools, 'tool')}, ${(tookMs / 1_000).toFixed(1)} s`;
}

function packageText(step: Extract<StartStep, { readonly step: 'downloading' }>): string {
  return printableLine(step.package, maxNameLength);
}

function isSettled({ step }: StartStep): boolean {
  return step === 'ready' || step === 'failed';
}

function waitingFor(step: StartStep | undefined): string {
  if (step?.step === 'downloading') return `npm downloads ${packageText(step)} …`;
  if (step?.step === 'spawned') return `process ${step.pid}, waiting for its handshake …`;
  if (step?.step === 'listed') return 'waiting for its health check …';
  return step?.step === 'handshake' ? 'listing its tools …' : 'starting …';
}
