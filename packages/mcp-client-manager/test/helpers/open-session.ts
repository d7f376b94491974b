import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestServerName, testServer, withOwner } from '@x/test-servers';
import { openStdioSession } from '../../src/session/open-stdio-session.js';
import type { ClientHandlers } from '../../src/session/server-requests/client-handlers.js';
import type { Session, ToolCallResult } from '../../src/session/session.js';
import type { ServerLogEntry, SessionListeners } from '../../src/session/session-listeners.js';
import { StdioChannel } from '../../src/transport/stdio-channel.js';

const { signal: never } = new AbortController();

export interface OpenOptions {
  readonly args?: readonly string[];
  readonly protocol?: 'auto' | 'legacy' | '2026-07-28';
  readonly handlers?: ClientHandlers;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly listeners?: Partial<SessionListeners>;
  readonly validateOutput?: boolean;
  readonly maxMessageBytes?: number;
}

/** A session with a server process, and its events. Disposing of it ends both. */
export interface OpenedSession extends AsyncDisposable {
  readonly session: Session;
  readonly process: ChildProcess;
  readonly lists: string[];
  readonly updated: string[];
  readonly log: ServerLogEntry[];
  readonly junk: string[];
  /** The JSON in the text of a tool's result. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<unknown>;
  text(tool: string, args?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Opens a session without a supervisor, so that what the session does is not covered by what that does. */
export async function openSession(server: TestServerName, options: OpenOptions = {}): Promise<OpenedSession> {
  const { args = [], protocol = 'auto', handlers = {}, capabilities, listeners = {}, validateOutput = true } = options;
  const command = testServer(server, ...args);
  const child = spawn(command.command, command.args, { stdio: ['pipe', 'pipe', 'ignore'], env: withOwner() });
  const exited = once(child, 'exit');
  child.stdin.on('error', () => undefined); // it may be killed with requests still on their way
  const told = { lists: [] as string[], updated: [] as string[], log: [] as ServerLogEntry[], junk: [] as string[] };
  const { maxMessageBytes = 32 * 1_024 * 1_024 } = options;
  const session = await openStdioSession(
    new StdioChannel({ stdin: child.stdin, stdout: child.stdout, maxMessageBytes }),
    {
      server,
      protocol,
      clientInfo: { name: 'test', version: '1.0.0' },
      signal: never,
      handlers,
      capabilities,
      validateOutput,
      onJunk: (text) => void told.junk.push(text),
      listeners: {
        onListChanged: (list) => void told.lists.push(list),
        onResourceUpdated: (uri) => void told.updated.push(uri),
        onElicitationCompleted: () => undefined,
        onLog: (entry) => void told.log.push(entry),
        onCallsInFlight: () => undefined,
        ...listeners,
      },
    },
  );
  const text = async (tool: string, toolArgs: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    textOf(await session.callTool(tool, toolArgs, { signal: never }));
  return {
    session,
    process: child,
    ...told,
    text,
    call: async (tool, toolArgs) => JSON.parse(await text(tool, toolArgs)) as unknown,
    [Symbol.asyncDispose]: async () => {
      await session.close();
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function textOf({ content: [first] }: ToolCallResult): string {
  return first?.type === 'text' ? first.text : '';
}
