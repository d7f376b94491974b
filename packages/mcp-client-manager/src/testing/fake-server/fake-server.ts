import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { InProcessServer } from '../../spec.js';
import {
  callsIn,
  type FakeCall,
  type FakeHistory,
  type FakeStarted,
  FileHistory,
  type HistoryEntry,
  MemoryHistory,
  startsIn,
} from './fake-history.js';
import type { FakeServerScript } from './fake-server-script.js';
import { HttpFake } from './http-fake.js';
import { InProcessFake } from './in-process-server.js';
import { type FakeServerPlan, requirePlayable, resolveScript } from './resolve-script.js';
import { createServerFolder, historyFile, removeServerFolder } from './server-folder.js';

/**
 * A scripted server. `stdio()`, `inProcess()` and `http()` each return the fields of a `ServerSpec` besides `name`, for
 * a separate server.
 */
export interface FakeServer extends AsyncDisposable {
  /** As a child process. @throws {TypeError} The script has a feature that stdio does not support. */
  stdio(): { readonly command: string; readonly args: readonly string[] };
  /** As objects in this process, one per start. @throws {TypeError} See `stdio()`. */
  inProcess(): {
    /** Creates the server of one start. */
    readonly server: () => InProcessServer;
  };
  /** At a free port of 127.0.0.1, in this process. @throws {TypeError} See `stdio()`. */
  http(): Promise<{ readonly url: string }>;
  /** All starts so far. */
  starts(): readonly FakeStarted[];
  /** All received calls so far, of one tool or of all. */
  calls(tool?: string): readonly FakeCall[];
  /**
   * Stops listening and removes its files. Close the manager first, which owns the child processes. A second call has
   * no effect.
   */
  close(): Promise<void>;
}

/**
 * Creates a server from a script. Nothing runs before a manager starts it.
 *
 * @throws {TypeError} Names the invalid place in the script.
 */
export function fakeServer(script: FakeServerScript = {}): FakeServer {
  return new ScriptedServer(script);
}

class ScriptedServer implements FakeServer {
  readonly #script: FakeServerScript;
  readonly #plan: FakeServerPlan;
  readonly #histories: FakeHistory[] = [];
  readonly #folders: string[] = [];
  readonly #listening: HttpFake[] = [];
  #lastEntries: readonly HistoryEntry[] | undefined;

  constructor(script: FakeServerScript) {
    // The same for every carrier; a child process receives it as JSON.
    const given = JSON.parse(JSON.stringify(script) ?? 'null') as FakeServerScript;
    const isPath = typeof given?.recording === 'string';
    this.#script = isPath ? { ...given, recording: resolve(String(given.recording)) } : given;
    this.#plan = resolveScript(this.#script);
  }

  stdio(): { readonly command: string; readonly args: readonly string[] } {
    this.#require('stdio');
    const folder = createServerFolder(this.#script);
    this.#folders.push(folder);
    this.#histories.push(new FileHistory(join(folder, historyFile)));
    return { command: process.execPath, args: [mainPath(), folder] };
  }

  inProcess(): { readonly server: () => InProcessServer } {
    this.#require('in-process');
    const history = this.#newHistory();
    return { server: () => new InProcessFake(this.#plan, history) };
  }

  async http(): Promise<{ readonly url: string }> {
    this.#require('http');
    const server = new HttpFake(this.#plan, this.#newHistory());
    this.#listening.push(server);
    return { url: await server.listen() };
  }

  starts(): readonly FakeStarted[] {
    return startsIn(this.#entries());
  }

  calls(tool?: string): readonly FakeCall[] {
    return callsIn(this.#entries()).filter((call) => tool === undefined || call.tool === tool);
  }

  async close(): Promise<void> {
    if (this.#lastEntries) return;
    this.#lastEntries = this.#entries();
    await Promise.all(this.#listening.map((server) => server.close()));
    for (const folder of this.#folders) removeServerFolder(folder);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #entries(): readonly HistoryEntry[] {
    return this.#lastEntries ?? this.#histories.flatMap((history) => history.entries());
  }

  #newHistory(): FakeHistory {
    const history = new MemoryHistory();
    this.#histories.push(history);
    return history;
  }

  #require(carrier: 'stdio' | 'in-process' | 'http'): void {
    if (this.#lastEntries) throw new Error('This fake server is closed');
    requirePlayable(this.#plan, carrier);
  }
}

/** Found by the package name, independent of the place of this file. */
function mainPath(): string {
  const manifest = createRequire(import.meta.url).resolve('@x/mcp-client-manager/package.json');
  return join(dirname(manifest), 'dist', 'testing', 'fake-server-main.js');
}
