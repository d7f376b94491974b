import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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
 * A server that does as its script says. Each of `stdio()`, `inProcess()` and `http()` gives what a `ServerSpec` needs
 * besides its `name`, and is a server of its own: steps are counted for each.
 */
export interface FakeServer extends AsyncDisposable {
  /** The server as a child process. @throws {TypeError} The script has something that cannot be played over stdio. */
  stdio(): { readonly command: string; readonly args: readonly string[] };
  /** The server as objects in this process, one for each start. @throws {TypeError} As `stdio()`. */
  inProcess(): {
    /** Makes the server of one start. */
    readonly server: () => InProcessServer;
  };
  /** The server at a free port of 127.0.0.1, in this process. @throws {TypeError} As `stdio()`. */
  http(): Promise<{ readonly url: string }>;
  /** Every start so far. */
  starts(): readonly FakeStarted[];
  /** Every call that was received so far, of one tool or of all. */
  calls(tool?: string): readonly FakeCall[];
  /**
   * Stops listening and removes what is on disk. Child processes belong to who started them, so close the manager
   * first. A second call changes nothing.
   */
  close(): Promise<void>;
}

/**
 * Makes a server out of a script; an empty one is a well-behaved server with the tool `echo`. Nothing runs until one of
 * its ways is asked for and a manager starts it.
 *
 * @throws {TypeError} Names the place in the script that makes no sense.
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
    // Taken as it is now, the same for every carrier, also where that is only found out by a child.
    this.#script = JSON.parse(JSON.stringify(script) ?? 'null') as FakeServerScript;
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

/** The program that a child runs. By the package's own name, so that it does not matter which file this code is in. */
function mainPath(): string {
  const manifest = createRequire(import.meta.url).resolve('@x/mcp-client-manager/package.json');
  return join(dirname(manifest), 'dist', 'testing', 'fake-server-main.js');
}
