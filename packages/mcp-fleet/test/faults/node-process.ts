import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { standStill } from '@x/test-servers';
import { inject, onTestFailed, onTestFinished } from 'vitest';
import type { Placement } from '../../src/catalog/records.js';
import type { NatsBusOptions } from '../../src/nats.js';

/** What one process is: nodes of a fleet, each with the same servers. */
export interface NodePlan {
  readonly nodes: readonly string[];
  readonly bus: Omit<NatsBusOptions, 'node' | 'signal'>;
  readonly heartbeatMs: number;
  readonly sources: readonly PlannedSource[];
  readonly maxResultBytes?: number;
}

/** A server with the tools of `scripted-source.ts` and, beside them, as many others as wanted. */
export interface PlannedSource {
  readonly name: string;
  readonly placement?: Placement;
  readonly tools?: number;
}

export type NodePlanOptions = Partial<Omit<NodePlan, 'bus'>> & {
  readonly bus: NodePlan['bus'];
  /** How far the process's clock is off, in milliseconds. */
  readonly clockOffsetMs?: number;
  /** The network namespace to run in. */
  readonly namespace?: string | undefined;
};

/** Something that happened in a node's process: an event of its fleet, or of its servers (`called`, `stopped`). */
export interface NodeEvent {
  readonly on: string;
  readonly name: string;
  /** On the machine's monotonic clock, which all its processes share, in milliseconds. */
  readonly atMs: number;
  /** Beats that the node had tried to send. */
  readonly beats: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Command for a node. */
export type NodeCommand =
  | {
      readonly do: 'call';
      readonly source: string;
      readonly tool: string;
      readonly args?: object;
      readonly caller?: object;
    }
  | { readonly do: 'sources' | 'status' | 'beats' | 'leave' }
  /** Waits until it has tried that many beats. */
  | { readonly do: 'until-beats'; readonly count: number }
  /** Waits until a source has that many tools. */
  | { readonly do: 'until-tools'; readonly source: string; readonly count: number }
  /** Waits until it knows so many nodes that are alive, itself included. */
  | { readonly do: 'until-nodes'; readonly count: number }
  | { readonly do: 'set-clock'; readonly offsetMs: number }
  /** Does nothing else for so long. */
  | { readonly do: 'block'; readonly forMs: number }
  /** Does with the bus what no fleet does. */
  | { readonly do: 'write'; readonly key: string; readonly text: string }
  | { readonly do: 'publish'; readonly subject: string; readonly text: string };

export type FromNode =
  | { readonly event: NodeEvent }
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly failure: { readonly message: string; readonly code?: string; readonly retryable?: boolean };
    };

export interface ToNode {
  readonly id: number;
  readonly node: string;
  readonly command: NodeCommand;
}

/** Limit of one wait in milliseconds: a test fails by it, and says what is missing, before its own limit ends it. */
const PATIENCE_MS = 60_000;
/** Events per node that a failed test prints. */
const PRINTED_EVENTS = 40;

const program = (name: string): string => join(inject('programsFolder'), `${name}.js`);

/** Starts a node's process. The end of the test kills it, if it still runs. A test that fails prints its last events. */
export function startNode(
  nodes: string | readonly string[],
  { clockOffsetMs = 0, namespace, heartbeatMs = 500, sources = [], ...rest }: NodePlanOptions,
): NodeProcess {
  const names = typeof nodes === 'string' ? [nodes] : nodes;
  const plan: NodePlan = { ...rest, nodes: names, heartbeatMs, sources };
  const clock = pathToFileURL(program('skewed-clock')).href;
  const execution = [process.execPath, '--import', clock, program('node-program'), JSON.stringify(plan)];
  const [command = '', ...args] =
    namespace === undefined ? execution : ['ip', 'netns', 'exec', namespace, ...execution];
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, CLOCK_OFFSET_MS: String(clockOffsetMs) },
  });
  const node = new NodeProcess(names[0] ?? '', child);
  onTestFinished(() => node.kill());
  onTestFailed(() => void process.stderr.write(`${node.story()}\n`));
  return node;
}

/** Process with nodes of a fleet, which runs commands and reports events. */
export class NodeProcess {
  /** The first node of it. */
  readonly name: string;
  /** In the order in which they came. */
  readonly events: NodeEvent[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  readonly #answers = new Map<number, (answer: FromNode) => void>();
  #asked = 0;

  constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    child.on('message', (message: FromNode) => this.#hear(message));
    child.on('error', () => undefined); // what was asked fails, as its process has ended
    child.on('exit', () => this.#end());
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The first event of that name with these details, of those that came already, too, unless `after` leaves them out. */
  event(name: string, detail: object = {}, { on, after = 0 }: EventPlace = {}): Promise<NodeEvent> {
    return NodeProcess.until([this], `the event ${name} ${show(detail)}`, () =>
      this.events
        .slice(after)
        .find((event) => event.name === name && (on === undefined || event.on === on) && matches(event.detail, detail)),
    );
  }

  /**
   * Waits until `look` finds something. Looks again with each event of the nodes.
   *
   * @throws {Error} that names the nodes and `what` is missing: after a minute, or when one of the processes has ended.
   */
  static async until<Found>(
    nodes: readonly NodeProcess[],
    what: string,
    look: () => Found | undefined,
  ): Promise<Found> {
    const names = nodes.map(({ name }) => name).join(', ');
    return withinPatience(`${names}: no sign of ${what}`, async () => {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        const ended = nodes.find(({ isRunning }) => !isRunning);
        if (ended !== undefined) throw new Error(`The process of ${ended.name} has ended, and ${what} never came`);
        await Promise.race(nodes.map((node) => node.#change()));
      }
    });
  }

  /** Its last events, one a line. */
  story(): string {
    const lines = this.events
      .slice(-PRINTED_EVENTS)
      .map(
        ({ on, name, atMs, beats, detail }) => `  ${Math.round(atMs)} ms, beat ${beats}: ${on} ${name} ${show(detail)}`,
      );
    return [`The last ${lines.length} of ${this.events.length} events of the process of ${this.name}:`, ...lines].join(
      '\n',
    );
  }

  /** How many events there have been: what comes `after` is new. */
  mark(): number {
    return this.events.length;
  }

  /** Events of that name with these details. */
  all(name: string, detail: object = {}): readonly NodeEvent[] {
    return this.events.filter((event) => event.name === name && matches(event.detail, detail));
  }

  /** Has it do something. What fails there, fails here with the same `code`. */
  async ask<Result = unknown>(command: NodeCommand, node = this.name): Promise<Result> {
    if (!this.isRunning) throw new Error(`The process of ${this.name} has ended`);
    this.#asked += 1;
    const id = this.#asked;
    const answered = new Promise<FromNode>((resolve) => {
      this.#answers.set(id, resolve);
      this.#child.send({ id, node, command } satisfies ToNode, () => undefined);
    });
    const answer = await withinPatience(`${node}: no answer to ${show(command)}`, () => answered);
    if ('result' in answer) return answer.result as Result;
    const failure = 'failure' in answer ? answer.failure : { message: 'No answer' };
    throw Object.assign(new Error(failure.message), failure);
  }

  /** Calls a tool of one of its sources; the text that came back. */
  call(source: string, tool: string, args: object = {}): Promise<string> {
    return this.ask<string>({ do: 'call', source, tool, args });
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** It does nothing, from when this has settled until `resume`. */
  pause(): Promise<void> {
    return standStill(this.#child);
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  #hear(message: FromNode): void {
    if ('event' in message) {
      this.events.push(message.event);
      this.#wake();
    } else {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    }
  }

  #end(): void {
    const message = `The process of ${this.name} has ended`;
    for (const [id, settle] of this.#answers) settle({ id, failure: { message } });
    this.#answers.clear();
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** @throws {Error} with that message, after a minute. */
async function withinPatience<Result>(message: string, wait: () => Promise<Result>): Promise<Result> {
  const late = new Error(`${message} within ${PATIENCE_MS} milliseconds`); // made here, where its stack names the test
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late), PATIENCE_MS);
  });
  try {
    return await Promise.race([wait(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

function show(value: object): string {
  return JSON.stringify(value, (_key, inner) => inner ?? null).slice(0, 200);
}

interface EventPlace {
  readonly on?: string;
  readonly after?: number;
}

function matches(detail: NodeEvent['detail'], wanted: object): boolean {
  return Object.entries(wanted).every(([key, value]) => detail[key] === value);
}
